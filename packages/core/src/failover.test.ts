import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FairleadError } from './error.ts'
import { isRetryableStatus } from './retryable.ts'
import { type FailoverCall, sendWithFailover } from './failover.ts'
import { newHealth, type NodeHealth } from './node-health.ts'

interface Node {
  readonly name: string
  readonly health: NodeHealth
}

const isFailure = (status: number | undefined) => status === undefined || isRetryableStatus(status)
const mayDifferElsewhere = (status: number | undefined) => isFailure(status) || status === 501
const lost = (reason: string) =>
  new FairleadError('TRANSPORT_FAILED', { operation: 'test', reason, timeoutMs: 1_000, attempt: 1 })

/** Sends a call to two nodes, each of which responds with the next entry of its list. */
async function send(answers: Record<string, (number | Error)[]>, call: Partial<FailoverCall<Node>> = {}) {
  const asked: string[] = []
  const nodes = Object.keys(answers).map((name) => ({ name, health: newHealth() }))
  const options = { nodes, timeoutMs: 1_000, retries: 1, isFailure, mayDifferElsewhere }
  const { signal } = new AbortController()
  const outcome = await sendWithFailover<Node>(options, {
    signal,
    isRepeatable: true,
    send: async ({ name }) => {
      asked.push(name)
      const answer = answers[name]?.shift() ?? 200
      if (typeof answer !== 'number') throw answer
      return new Response(null, { status: answer, headers: answer === 429 ? { 'retry-after': '7' } : {} })
    },
    ...call,
  }).then(
    ({ status }) => status,
    (error: unknown) => error,
  )
  return { asked: asked.join(' '), outcome, nodes }
}

beforeEach(() => void vi.useFakeTimers({ now: 0 }))
afterEach(() => void vi.useRealTimers())

describe('sendWithFailover', () => {
  it('tries the next node when it may have a better answer, and counts only node failures', async () => {
    const { asked, outcome, nodes } = await send({ a: [503], b: [501], c: [404] })
    expect([asked, outcome]).toEqual(['a b c', 404])
    expect(nodes.map(({ health }) => health.failures)).toEqual([1, 0, 0])
  })

  it('begins again after the pause that a node requests, and ends after its retries', async () => {
    const sent = send({ a: [429, 503, 503] })
    await vi.advanceTimersByTimeAsync(6_999)
    const early = await Promise.race([sent, Promise.resolve('waits')])
    await vi.advanceTimersByTimeAsync(1)
    expect([early, (await sent).asked, (await sent).outcome]).toEqual(['waits', 'a a', 503])
  })

  it('sends a call again that acts only when it certainly never arrived', async () => {
    const arrived = await send({ a: [lost('socket hang up')], b: [] }, { isRepeatable: false })
    expect(arrived).toMatchObject({
      asked: 'a',
      outcome: { code: 'TRANSPORT_FAILED', details: { attempt: 1 } },
    })
    const refused = await send({ a: [lost('connect ECONNREFUSED')], b: [] }, { isRepeatable: false })
    expect(refused).toMatchObject({ asked: 'a b', outcome: 200 })
  })

  it('passes on what is no lost connection, and the reason of a signal that aborts', async () => {
    const own = new TypeError('no URL')
    expect(await send({ a: [own], b: [] })).toMatchObject({ asked: 'a', outcome: own })
    const controller = new AbortController()
    const sent = send({ a: [429] }, { signal: controller.signal })
    await vi.advanceTimersByTimeAsync(1_000)
    controller.abort(own)
    await vi.advanceTimersByTimeAsync(0)
    expect((await sent).outcome).toBe(own)
  })
})
