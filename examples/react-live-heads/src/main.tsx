import { createEvmClient, webSocket } from '@fairlead/evm-rpc'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { LiveHeads } from './live-heads.tsx'

const transport = webSocket({ url: NODE_URL, auth: { kind: 'token', token: NODE_TOKEN } })
const evm = createEvmClient({ transport })
const root = document.querySelector('#root')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <LiveHeads evm={evm} />
    </StrictMode>,
  )
}
