import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { startNodeServer } from './testing/node-server.ts'

const program = (url: string, options: string, last: string): string => `
import { fallback, http, webSocket } from '@fairlead/evm-rpc'
import { WebSocket } from 'ws'
const auth = { kind: 'token', token: 't0k3n' }
const transport = webSocket({ url: '${url}', auth, WebSocket: ${options} })
const ranked = fallback([http({ url: '${url}', auth }), transport], { rank: { intervalMs: 60_000 } })
await ranked.request({ method: 'eth_chainId' })
await transport.request({ method: 'eth_chainId' })
await transport.subscribe(['newHeads'], { next: () => {} })
${last}
`

// The WebSocket class of the runtime cannot terminate a connection to a silent server.
const cases = [
  ['ends when the transport is closed', 'undefined', 'closed'],
  ['ends when the transport is closed, with ws', 'WebSocket', 'closed'],
  ['ends when the server is stopped', 'undefined', 'stopped'],
  ['ends when the server is stopped, with ws', 'WebSocket', 'stopped'],
  ['ends when the server does not respond to the close frame, with ws', 'WebSocket', 'silent'],
] as const

const ends = {
  closed: 'ranked.close()',
  // The last call signals to the server that the program is ready; its response never arrives.
  stopped:
    "transport.onConnection(() => ranked.close()); transport.request({ method: 'eth_gasPrice' }).catch(() => {})",
  silent: 'ranked.close()',
} as const

it.each(cases)('a process %s', async (_, options, end) => {
  const node = await startNodeServer()
  const { respond: defaultRespond } = node
  node.respond = (call, socket) => {
    // The server still responds, and stops reading.
    if (call.method === 'eth_subscribe' && end === 'silent') socket?.pause()
    if (call.method === 'eth_gasPrice') void node.stop()
    return defaultRespond(call, socket)
  }
  const code = program(node.url, options, ends[end])
  const child = spawn(
    process.execPath,
    ['--conditions=@fairlead/source', '--input-type=module', '--eval', code],
    { cwd: new URL('../..', import.meta.url), stdio: ['ignore', 'inherit', 'inherit'] },
  )
  const [exitCode] = (await once(child, 'exit')) as [number | null]
  expect(exitCode).toBe(0)
})
