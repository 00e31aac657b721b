import type { ServerResponse } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { createRestUpstream } from '@fairlead/gateway-core/rest/rest-upstream'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { grantWith } from '@fairlead/gateway-core/testing/limited-grant'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import { jettonFormat } from '../http/jetton-format.ts'
import { createJettonUpstreams } from './jetton-upstreams.ts'

/** Starts an upstream until the running test ends, and counts its calls. */
async function countingUpstream() {
  const counts = { calls: 0 }
  const url = await startTestNode((request, response: ServerResponse) => {
    if (request.url?.includes('getShards')) counts.calls += 1
    response.setHeader('content-type', 'application/json').end('{"ok":true,"result":{"last":{"seqno":1}}}')
  })
  return { url, counts }
}

it('sends calls to the current list of a node, also when it is an earlier one again', async () => {
  const [first, second] = [await countingUpstream(), await countingUpstream()]
  let current: Grant = grantWith()
  const upstreams = createJettonUpstreams({
    open: (url) => createRestUpstream(url, 5_000, jettonFormat),
    embedded: undefined,
    timeoutMs: 5_000,
    isStale: (grant) => grant !== current,
  })
  onTestFinished(() => upstreams.close())
  const call = async (jetton: string) => {
    current = grantWith({ upstreams: { jetton } })
    const before = [first.counts.calls, second.counts.calls]
    const signal = AbortSignal.timeout(5_000)
    await upstreams.of(current).request({
      family: 'v2',
      method: 'GET',
      path: '/getShards',
      tenant: undefined,
      signal,
    })
    return [first.counts.calls, second.counts.calls].findIndex((calls, index) => calls > (before[index] ?? 0))
  }
  expect(await call(first.url)).toBe(0)
  expect(await call(second.url)).toBe(1)
  expect(await call(first.url)).toBe(0)
  expect(await call(`${first.url}#cordoned ${second.url}`)).toBe(1)
  expect(await call(`${first.url} ${second.url}#cordoned`)).toBe(0)
})
