import type { EvmClient } from '@fairlead/evm-rpc'
import type { ReactElement } from 'react'
import { type Head, useHeads } from './use-heads.ts'

/** The list of the latest blocks. */
export function LiveHeads({ evm }: { readonly evm: EvmClient }): ReactElement {
  const { heads, isConnected, problem } = useHeads(evm)
  return (
    <>
      <h1>Live heads</h1>
      <p role="status">{isConnected ? 'connected' : 'connecting'}</p>
      {problem !== undefined && <p role="alert">{problem}</p>}
      <table>
        <thead>
          <tr>
            <th scope="col">Block</th>
            <th scope="col">Hash</th>
            <th scope="col">Time</th>
            <th scope="col">Gas used</th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {heads.map((head) => (
            <Row key={head.block.hash} head={head} />
          ))}
        </tbody>
      </table>
    </>
  )
}

function Row({ head: { block, isRemoved } }: { readonly head: Head }): ReactElement {
  const used = Number(block.gasUsed)
  const limit = Number(block.gasLimit)
  return (
    <tr className={isRemoved ? 'removed' : ''}>
      <td>{Number(block.number)}</td>
      <td>
        <code>{block.hash?.slice(0, 12)}…</code>
      </td>
      <td>{new Date(Number(block.timestamp) * 1_000).toLocaleTimeString()}</td>
      <td>
        {used.toLocaleString()} <meter max={limit} value={used} aria-label="Share of the gas limit" />
      </td>
      <td>{isRemoved ? 'reorged out' : ''}</td>
    </tr>
  )
}
