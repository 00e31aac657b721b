import { describe, expect, it, vi } from 'vitest'
import { CircuitBreaker } from '@fairlead/gateway-core/upstream/circuit-breaker'
import { RateBudget } from '@fairlead/gateway-core/upstream/rate-budget'
import { Upstream } from '@fairlead/gateway-core/upstream/upstream'
import { faultyUpstream, type RawResponse } from '../testing/faulty-upstream.ts'
import { inFrontOf, type ListenerFixture } from '../testing/listener-fixture.ts'
import { postCall, type PostedReply } from '../testing/posted-call.ts'

/** What a response of the first upstream leads to. All but `none` lead to a call of another upstream. */
type Effect = 'none' | 'next' | 'failure' | 'missing method' | 'busy'

/** Responses of an upstream: every status with every content type and every body. */
interface Responses {
  /** The result or the error code that clients receive without another upstream; 502 and 429 are errors of the gateway. */
  readonly client: string | number | null
  readonly method?: string
  readonly statuses: readonly number[]
  readonly types?: readonly (string | undefined)[]
  readonly bodies: readonly RawResponse['body'][]
}

const [json, text, html] = ['application/json', 'text/plain', 'text/html']
const allTypes = [json, text, html, 'application/octet-stream', undefined]
const secret = 's3cr3t-key'
const page = `<html>Sorry, ${secret}</html>`
const big = '11'.repeat(50_000)
const error = (code: number, message = `no ${secret}`, data?: unknown) => ({ error: { code, message, data } })
const limited = error(-32_005, 'daily request count exceeded, request rate limited')

/** Statuses that count against an upstream, unless the error is of the caller. */
const failing = [401, 403, 407, 500, 501, 502, 503, 504, 520]
const passing = [200, 302, 400, 404, 405, 410, 413, 415, 422, 451]

const responses: Readonly<Record<Effect, readonly Responses[]>> = {
  none: [
    {
      client: '0x5',
      statuses: [200, 203, 400, 404, 429, 500, 503],
      types: allTypes,
      bodies: [{ result: '0x5' }],
    },
    { client: null, statuses: [200], types: [text], bodies: [' \n{"id":ID, "result":null, "error":null}'] },
    { client: -32_602, statuses: passing, types: allTypes, bodies: [error(-32_602)] },
    { client: -32_602, statuses: [...failing, 429], types: [json, undefined], bodies: [error(-32_602)] },
    { client: -32_600, statuses: [...passing, 500, 503], bodies: [error(-32_600)] },
    { client: -32_700, statuses: [...passing, 500, 503], bodies: [error(-32_700)] },
    { client: -32_000, statuses: passing, types: [json, undefined], bodies: [error(-32_000)] },
    { client: -32_603, statuses: passing, bodies: [error(-32_603)] },
    {
      client: 3,
      method: 'eth_call',
      statuses: [...passing, 500, 503],
      bodies: [
        error(3, 'execution reverted', '0x01'),
        error(-32_000, 'execution reverted', '0x01'),
        error(3, 'execution reverted', `0x${big}`),
      ],
    },
    {
      client: -32_015,
      method: 'eth_call',
      statuses: [...passing, 500, 503],
      bodies: [error(-32_015, 'out of gas')],
    },
    {
      client: -32_000,
      method: 'eth_call',
      statuses: [...passing, 500],
      bodies: [error(-32_000, 'out of gas')],
    },
    // A long response, of which the first bytes decide.
    { client: big, statuses: [200, 500], types: allTypes, bodies: [{ result: big }] },
    { client: -32_000, statuses: [400], bodies: [error(-32_000, 'no', big)] },
  ],
  'missing method': [
    {
      client: -32_601,
      statuses: [...passing, ...failing],
      bodies: [error(-32_601, 'Method not found'), error(-32_000, 'Method not found')],
    },
  ],
  failure: [
    { client: -32_000, statuses: failing, types: [json, undefined], bodies: [error(-32_000)] },
    { client: -32_603, statuses: failing, bodies: [error(-32_603)] },
    { client: -32_600, statuses: [401, 407], bodies: [error(-32_600, 'Must be authenticated!')] },
    {
      client: -32_000,
      method: 'eth_call',
      statuses: [401, 502, 503],
      bodies: [error(-32_000, 'out of gas')],
    },
    { client: 502, statuses: [200, 302, 404, 405, ...failing], types: [html, json], bodies: [page, ''] },
    {
      client: 502,
      statuses: [500],
      bodies: [
        '{"error":"no"}',
        '{"message":"no"}',
        '[]',
        '5',
        'null',
        '{"result":',
        '[{"id":5,"result":1}]',
      ],
    },
    // Errors of other APIs than JSON-RPC.
    { client: 502, statuses: [403, 503], bodies: ['{"result":null,"success":false,"errors":[{"code":1}]}'] },
    { client: 502, statuses: [200], types: [text], bodies: ['{"result":null,"error":"no"}'] },
    { client: 502, statuses: [200, 500], types: [html], bodies: [`<html>${big}${secret}`] },
    { client: 502, statuses: [500], bodies: [error(-32_000, 'no', big)] },
  ],
  next: [
    // The caller has written most of the body that the upstream rejects.
    { client: 502, statuses: [400, 413, 422], types: [html, undefined], bodies: [page, ''] },
    // The credential has access to other methods.
    { client: -32_600, statuses: [403], bodies: [error(-32_600, 'eth_getBalance is not in this plan')] },
  ],
  busy: [
    {
      client: 429,
      statuses: [429],
      types: [json, html, undefined],
      bodies: [error(-32_000), error(-32_600), error(429), limited, page, '', '{"error":"no"}'],
    },
    { client: 429, method: 'eth_call', statuses: [429], bodies: [error(-32_000, 'out of gas')] },
    { client: 429, statuses: [200, 400, 403, 503], types: [json, undefined], bodies: [limited] },
    { client: 429, statuses: [429], types: [html], bodies: [`<html>${big}`] },
  ],
}

const cases = Object.entries(responses).flatMap(([effect, groups]) =>
  groups.flatMap(({ client, method = 'eth_getBalance', statuses, types = [json], bodies }) =>
    statuses.flatMap((status) =>
      types.flatMap((type) =>
        bodies.map((body) => {
          const headers = type === undefined ? {} : { 'content-type': type }
          const shown = typeof body === 'string' ? body : JSON.stringify(body)
          const title = `${effect}: HTTP ${status}, ${type ?? 'no type'}, ${method}, ${shown.slice(0, 70)}`
          return [title, { effect, client, method, raw: { [method]: { status, headers, body } } }] as const
        }),
      ),
    ),
  ),
)

const params: Readonly<Record<string, readonly unknown[]>> = {
  eth_call: [{ to: `0x${'0'.repeat(40)}` }, '0x1'],
  eth_getBalance: [`0x${'1'.repeat(40)}`, '0x1'],
}

/** Sends a call, and counts what it changes about upstreams. */
async function send(gateway: ListenerFixture, method: string) {
  const spies = {
    failure: vi.spyOn(CircuitBreaker.prototype, 'fail'),
    busy: vi.spyOn(RateBudget.prototype, 'recordRejection'),
    'missing method': vi.spyOn(Upstream.prototype, 'recordMissingMethod'),
  }
  const reply = await postCall(gateway, method, params[method] ?? [])
  expect(reply.text).not.toContain(secret)
  expect(reply.body).toMatchObject({ id: 5 })
  const counts = Object.entries(spies).map(([name, { mock }]) => [name, mock.calls.length] as const)
  vi.restoreAllMocks()
  return { reply, changes: Object.fromEntries(counts.filter(([, count]) => count > 0)) }
}

function expectReply({ status, body }: PostedReply, client: Responses['client']): void {
  const { code, data } = body.error ?? {}
  if (client === 429) expect([status, code, data]).toMatchObject([429, -32_005, { reason: 'upstream busy' }])
  else if (client === 502) expect([status, code]).toEqual([502, -32_603])
  else if (typeof client === 'number') expect([status, code]).toEqual([200, client])
  else expect([status, body.result]).toEqual([200, client])
}

describe.each(cases)('%s', (_, { effect, client, method, raw }) => {
  it('from the only upstream', async () => {
    const first = await faultyUpstream('first', { raw })
    const { reply, changes } = await send(await inFrontOf(`${first.url}/${secret}`), method)
    expectReply(reply, client)
    // Missing methods are recorded for the choice of an upstream.
    expect(changes).toEqual(effect === 'failure' || effect === 'busy' ? { [effect]: 1 } : {})
    // A response that may belong to another call is requested once more.
    expect(new Set(first.received)).toEqual(new Set([method]))
  })

  it('from the first of two upstreams', async () => {
    const [first, second] = [await faultyUpstream('first', { raw }), await faultyUpstream('second')]
    const { reply, changes } = await send(await inFrontOf(`${first.url}/${secret} ${second.url}`), method)
    expectReply(reply, effect === 'none' ? client : 'second')
    expect(changes).toEqual(effect === 'none' || effect === 'next' ? {} : { [effect]: 1 })
    expect(second.received).toEqual(effect === 'none' ? [] : [method])
  })
})
