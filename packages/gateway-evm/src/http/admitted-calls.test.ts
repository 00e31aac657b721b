import { expect, it } from 'vitest'
import { inFrontOf, type ListenerFixture, token } from '../testing/listener-fixture.ts'

const unreachable = 'http://127.0.0.1:1'
const single = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
const batch = `[${single},${single}]`

const deniedMethod = {
  grant: { accessRules: [{ kind: 'method', value: 'eth_chainId', action: 'deny' }] },
} as const
const usedQuota = { grant: { limits: { credential: { requestsPerDay: 0 } } } } as const

async function post(
  { url }: ListenerFixture,
  body: string,
): Promise<readonly [status: number, text: string]> {
  const response = await fetch(`${url}/${token}`, { method: 'POST', body })
  return [response.status, await response.text()]
}

it.each([
  ['a call with a forbidden method', deniedMethod, single],
  ['a batch with forbidden methods', deniedMethod, batch],
  ['a call over the quota', usedQuota, single],
  ['a body that is not JSON', usedQuota, 'nonsense'],
  ['a body that is too long', { maxBodyBytes: 10 }, single],
])('opens no upstream for %s', async (_, options, body) => {
  const gateway = await inFrontOf(unreachable, options)
  expect(await post(gateway, body)).toEqual([expect.any(Number), expect.stringContaining('-32600')])
  expect(gateway.openedUpstreams()).toBe(0)
})

it.each([
  ['call', single],
  ['batch', batch],
])('fails a whole %s when the node has no upstream', async (_, body) => {
  const gateway = await inFrontOf('nonsense')
  expect(await post(gateway, body)).toEqual([
    503,
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"The upstream URL of this node is not an HTTP URL."}}',
  ])
})
