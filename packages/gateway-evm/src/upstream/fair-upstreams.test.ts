import { expect, it, onTestFinished } from 'vitest'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { MemoryLedger } from '@fairlead/gateway-core/memory/memory-ledger'
import { grantWith } from '@fairlead/gateway-core/testing/limited-grant'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import { waitFor } from '@fairlead/vitest/wait-for'
import { resolvedCall } from '../methods/resolve-method.ts'
import { dispatchedCall } from '../testing/dispatched-call.ts'
import { createEvmUpstreams } from './evm-upstreams.ts'

/** Number of connections that one organization may use alone: 7/8 of those that are not for short calls. */
const alone = 108

/** An upstream of two organizations that never responds. */
async function sharedUpstream() {
  const received: string[] = []
  const url = await startTestNode(async (request) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    received.push(body)
  })
  const upstreams = createEvmUpstreams(20_000, {}, new MemoryLedger(2 ** 29))
  onTestFinished(() => upstreams.close())
  const call = (grant: Grant, method: string, otherParams: readonly unknown[]) => {
    const params = [{ data: grant.organizationId }, ...otherParams]
    const request = { method, params, paramsText: JSON.stringify(params), idText: '1' }
    const signal = AbortSignal.timeout(20_000)
    const upstream = upstreams.forCall(grant)
    const node = { ...grant, upstreams: { evm: url } }
    const resolved = resolvedCall(request, { grant: node, endpoint: '', signal, upstream })
    void dispatchedCall(resolved, upstream.reserve()).catch(() => undefined)
  }
  const of = (organizationId: string) =>
    received.filter((body) => body.includes(`"${organizationId}"`)).length
  const grantOf = (organizationId: string, at = 0) =>
    grantWith({
      organizationId,
      projectId: `${organizationId} ${at % 7}`,
      credentialId: `${organizationId} ${at}`,
      nodeId: organizationId,
      upstreams: { evm: url },
    })
  return { call, of, grantOf }
}

it.each([
  ['eth_estimateGas', 1, ['latest']],
  ['eth_estimateGas', 60, ['latest']],
  ['eth_estimateGas', 150, ['latest']],
  // An adapter sends this call without its last parameter.
  ['eth_createAccessList', 60, ['latest', {}]],
])('%s with %i credentials delays no call of another organization', async (method, credentials, params) => {
  const { call, of, grantOf } = await sharedUpstream()
  for (let at = 0; at < 300; at += 1) call(grantOf('0xa', at % credentials), method, params)
  await waitFor(() => of('0xa') === alone)
  for (let at = 0; at < 4; at += 1) call(grantOf('0xb', at), method, params)
  await waitFor(() => of('0xb') === 4)
  expect(of('0xa')).toBe(alone)
})
