import { describe, expect, it } from 'vitest'
import { waitFor } from '@fairlead/vitest/wait-for'
import { ConnectionShares } from './connection-shares.ts'
import { connectionsTo, plain, post, scriptedUpstream } from '../testing/scripted-upstream.ts'

describe('calls with exclusive connections', () => {
  /** An upstream that responds when the test requests it; 4 of the 36 connections are for short calls. */
  async function scriptedCalls() {
    const pending: { readonly body: string; respond(): void }[] = []
    const upstream = await scriptedUpstream(({ socket, body }) => {
      pending.push({ body, respond: () => socket.write(plain(body)) })
    })
    const connections = connectionsTo(upstream.url, { maxConnections: 36 })
    const call = (owner: string | undefined) => {
      void connections.request(post(owner ?? 'none', { owner })).catch(() => undefined)
    }
    const at = (owner: string) => pending.filter(({ body }) => body === owner).length
    return { pending, call, at }
  }

  it('of one owner leave connections for a later owner', async () => {
    const { call, at } = await scriptedCalls()
    for (let count = 0; count < 200; count += 1) call('greedy')
    await waitFor(() => at('greedy') === 28)
    call('other')
    await waitFor(() => at('other') === 1)
    expect(at('greedy')).toBe(28)
  })

  it('use half of the connections while another owner is active', async () => {
    const { pending, call, at } = await scriptedCalls()
    call('other')
    for (let count = 0; count < 200; count += 1) call('greedy')
    await waitFor(() => at('greedy') === 16)
    for (let count = 0; count < 11; count += 1) call('other')
    await waitFor(() => at('other') === 12)
    // Connections that become free beyond half of the total go to the other owner.
    for (const { body, respond } of pending.splice(0)) if (body === 'greedy') respond()
    await waitFor(() => at('greedy') === 16)
  })

  it('are not limited for calls of the gateway itself', async () => {
    const { call, at } = await scriptedCalls()
    for (let count = 0; count < 40; count += 1) call(undefined)
    await waitFor(() => at('none') === 32)
  })

  it('are scheduled round-robin by owner when all connections are in use', async () => {
    const { pending, call, at } = await scriptedCalls()
    for (const owner of ['a', 'b', 'c']) for (let count = 0; count < 50; count += 1) call(owner)
    await waitFor(() => pending.length === 32)
    expect([at('a'), at('b'), at('c')]).toEqual([28, 4, 0])
    for (const { respond } of pending.slice(0, 12)) respond()
    // An eighth stays free for owners that arrive later.
    await waitFor(() => pending.length === 40)
    expect([at('a'), at('b'), at('c')]).toEqual([28, 6, 6])
  })
})

describe('short calls', () => {
  it('of an owner do not wait behind all calls of another owner', async () => {
    const responded: string[] = []
    const pending: (() => void)[] = []
    const { url } = await scriptedUpstream(({ socket, body }) =>
      pending.push(() => socket.write(plain(body))),
    )
    const connections = connectionsTo(url, { maxConnections: 1 })
    const call = (owner: string) => {
      const quick = post(owner, { owner, latencyClass: 'short' })
      void connections.request(quick).then(
        () => responded.push(owner),
        () => undefined,
      )
    }
    for (let count = 0; count < 100; count += 1) call('greedy')
    await waitFor(() => pending.length > 0)
    call('other')
    await waitFor(() => {
      pending.shift()?.()
      return responded.includes('other')
    })
    expect(responded.length).toBeLessThan(60)
  })
})

describe('the share of an owner', () => {
  it('is the full limit again after a minute without other owners', () => {
    const shares = new ConnectionShares(100)
    shares.acquire('other', 0)
    shares.release('other')
    for (let count = 0; count < 50; count++) shares.acquire('greedy', 0)
    expect(shares.canAcquire('greedy', 50)).toBe(false)
    shares.prune(59_000)
    expect(shares.canAcquire('greedy', 50)).toBe(false)
    shares.prune(70_000)
    expect(shares.canAcquire('greedy', 50)).toBe(true)
  })
})
