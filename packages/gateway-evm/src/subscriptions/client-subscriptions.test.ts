import { expect, it, vi } from 'vitest'
import { ClientSubscriptions } from './client-subscriptions.ts'
import type { Membership, SubscriptionMultiplexer } from './multiplexer.ts'

/** The subscriptions of a connection whose upstream accepts them when the test says so. */
function pendingSubscriptions() {
  const membership = { leave: vi.fn(), moveTo: vi.fn() }
  let accept!: (membership: Membership) => void
  const joined = new Promise<Membership>((resolve) => (accept = resolve))
  const node = { multiplexer: { join: () => joined } as unknown as SubscriptionMultiplexer }
  const subscriptions = new ClientSubscriptions({
    multiplexer: () => node.multiplexer,
    needs: () => undefined,
    maxSubscriptions: 1,
    countSubscription: () => () => undefined,
    maxWaitingBytes: 1_000,
    notify: () => undefined,
    onGap: () => undefined,
    count: () => undefined,
  })
  const moveTo = (multiplexer: SubscriptionMultiplexer) => {
    node.multiplexer = multiplexer
    subscriptions.moveTo(multiplexer)
  }
  return { subscriptions, membership, accept: () => accept(membership), moveTo }
}

it('continues in another multiplexer, also when it is accepted after the move', async () => {
  const { subscriptions, membership, accept, moveTo } = pendingSubscriptions()
  const [first, second] = [{}, {}] as [SubscriptionMultiplexer, SubscriptionMultiplexer]
  const subscribed = subscriptions.subscribe(['newHeads'])
  moveTo(first)
  expect(membership.moveTo).not.toHaveBeenCalled()
  accept()
  const { id } = await subscribed
  expect(membership.moveTo.mock.calls).toEqual([[first]])
  moveTo(second)
  expect(membership.moveTo).toHaveBeenLastCalledWith(second)
  subscriptions.unsubscribe([id])
  expect(membership.leave).toHaveBeenCalledTimes(1)
})
