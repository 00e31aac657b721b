import { isRetryable } from '@fairlead/core'
import { expect, it } from 'vitest'
import { http } from './http.ts'
import { failure, refused, startNodeServer } from './testing/node-server.ts'
import { webSocket } from './web-socket.ts'

const auth = { kind: 'token', token: 't0k3n' } as const
const chain = { method: 'eth_chainId' }

// Neither has a separate HTTP status per call.
it.each([
  [true, 'no data', undefined],
  [true, 'a rate limit', { reason: 'rate', retry_after_ms: 5 }],
  [true, 'a busy gateway', { reason: 'busy', retry_after_ms: 5 }],
  [true, 'a busy upstream', { reason: 'upstream busy', retry_after_ms: 5 }],
  [false, 'a quota', { reason: 'quota', resets_at: '2030-01-01T00:00:00.000Z' }],
])('-32005 over a WebSocket and in a batch is retryable: %s for %s', async (expected, _, data) => {
  const node = await startNodeServer()
  node.respond = () => refused(-32005, 'refused', data)
  const socket = webSocket({ url: node.url, auth })
  expect(isRetryable(await failure(socket.request(chain)))).toBe(expected)
  socket.close()
  const outcomes = await http({ url: node.url, auth }).batch([chain, chain])
  expect(outcomes.map((outcome) => outcome.status === 'rejected' && isRetryable(outcome.reason))).toEqual([
    expected,
    expected,
  ])
})
