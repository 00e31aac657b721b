import type { ServerResponse } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { createRestUpstream } from '@fairlead/gateway-core/rest/rest-upstream'
import { grantWith } from '@fairlead/gateway-core/testing/limited-grant'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import { waitFor } from '@fairlead/vitest/wait-for'
import { jettonFormat } from '../http/jetton-format.ts'
import { createJettonUpstreams } from './jetton-upstreams.ts'

/** Starts an upstream with a latest masterchain block until the running test ends. */
function upstreamAt(seqno: number): Promise<string> {
  return startTestNode((_, response: ServerResponse) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ ok: true, result: { last: { seqno } } }))
  })
}

it.each([
  [25, 10_000, 'ready'],
  [26, 10_400, 'lagging'],
  [250, 100_000, 'lagging'],
  [251, 100_400, 'stale'],
] as const)('an upstream that is %i masterchain blocks or %i ms behind is %s', async (lag, lagMs, its) => {
  const upstreams = createJettonUpstreams({
    open: (url) => createRestUpstream(url, 5_000, jettonFormat),
    embedded: undefined,
    timeoutMs: 5_000,
  })
  onTestFinished(() => upstreams.close())
  const grant = grantWith({
    upstreams: { jetton: `${await upstreamAt(1_000)} ${await upstreamAt(1_000 - lag)}` },
  })
  await waitFor(() =>
    expect(upstreams.statesOf(grant).filter(({ field }) => field === 'jetton')).toMatchObject([
      { lag: 0, lagMs: 0, class: 'ready' },
      { lag, lagMs, class: its },
    ]),
  )
})
