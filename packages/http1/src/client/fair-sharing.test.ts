import { describe, expect, it } from 'vitest'
import { waitFor } from '@fairlead/vitest/wait-for'
import { ConnectionShares } from './connection-shares.ts'
import { connectionsTo, plain, post, scriptedUpstream } from '../testing/scripted-upstream.ts'

describe('calls that have a connection each', () => {
  /** An upstream that responds when the test requests it; 4 of the 36 connections are for short calls. */
  async function held() {
    const waiting: { readonly body: string; answer(): void }[] = []
    const upstream = await scriptedUpstream(({ socket, body }) => {
      waiting.push({ body, answer: () => socket.write(plain(body)) })
    })
    const connections = connectionsTo(upstream.url, { maxConnections: 36 })
    const call = (owner: string | undefined) => {
      void connections.request(post(owner ?? 'none', { owner })).catch(() => undefined)
    }
    const at = (owner: string) => waiting.filter(({ body }) => body === owner).length
    return { waiting, call, at }
  }

  it('of one owner leave room for an owner that comes later', async () => {
    const { call, at } = await held()
    for (let count = 0; count < 200; count += 1) call('greedy')
    await waitFor(() => at('greedy') === 28)
    call('other')
    await waitFor(() => at('other') === 1)
    expect(at('greedy')).toBe(28)
  })

  it('have half of the connections while another owner is present', async () => {
    const { waiting, call, at } = await held()
    call('other')
    for (let count = 0; count < 200; count += 1) call('greedy')
    await waitFor(() => at('greedy') === 16)
    for (let count = 0; count < 11; count += 1) call('other')
    await waitFor(() => at('other') === 12)
    // Connections that become free beyond half of the total go to the other owner.
    for (const { body, answer } of waiting.splice(0)) if (body === 'greedy') answer()
    await waitFor(() => at('greedy') === 16)
  })

  it('are not limited where the gateway itself makes them', async () => {
    const { call, at } = await held()
    for (let count = 0; count < 40; count += 1) call(undefined)
    await waitFor(() => at('none') === 32)
  })

  it('take turns by owner when all connections are taken', async () => {
    const { waiting, call, at } = await held()
    for (const owner of ['a', 'b', 'c']) for (let count = 0; count < 50; count += 1) call(owner)
    await waitFor(() => waiting.length === 32)
    expect([at('a'), at('b'), at('c')]).toEqual([28, 4, 0])
    for (const { answer } of waiting.slice(0, 12)) answer()
    // An eighth stays free for owners that arrive later.
    await waitFor(() => waiting.length === 40)
    expect([at('a'), at('b'), at('c')]).toEqual([28, 6, 6])
  })
})

describe('quick calls', () => {
  it('of an owner do not wait behind all those of another one', async () => {
    const answered: string[] = []
    const waiting: (() => void)[] = []
    const { url } = await scriptedUpstream(({ socket, body }) =>
      waiting.push(() => socket.write(plain(body))),
    )
    const connections = connectionsTo(url, { maxConnections: 1 })
    const call = (owner: string) => {
      const quick = post(owner, { owner, pace: 'quick' })
      void connections.request(quick).then(
        () => answered.push(owner),
        () => undefined,
      )
    }
    for (let count = 0; count < 100; count += 1) call('greedy')
    await waitFor(() => waiting.length > 0)
    call('other')
    await waitFor(() => {
      waiting.shift()?.()
      return answered.includes('other')
    })
    expect(answered.length).toBeLessThan(60)
  })
})

describe('the share of an owner', () => {
  it('is that of one owner alone again when no other one came for a minute', () => {
    const shares = new ConnectionShares(100)
    shares.take('other', 0)
    shares.release('other')
    for (let held = 0; held < 50; held += 1) shares.take('greedy', 0)
    expect(shares.mayTake('greedy', 50)).toBe(false)
    shares.prune(59_000)
    expect(shares.mayTake('greedy', 50)).toBe(false)
    shares.prune(70_000)
    expect(shares.mayTake('greedy', 50)).toBe(true)
  })
})
