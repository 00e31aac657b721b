import { expect, it, onTestFinished, vi } from 'vitest'
import { pino } from 'pino'
import { memory } from '@fairlead/gateway-core/testing/memory'
import { unusedUrl } from '@fairlead/vitest/http-server'
import { waitFor } from '@fairlead/vitest/wait-for'
import { DirectSource } from '../subscriptions/direct-source.ts'
import { startSubscriptionUpstream } from '../testing/subscription-upstream.ts'
import { createWebSocketUpstream } from './websocket-upstream.ts'

const invalid = 'wss://host:99999/'

function open(...addresses: string[]) {
  const lines = memory()
  const targetsOf = (list: readonly string[]) => list.map((address) => ({ address }))
  const log = pino({ level: 'debug' }, lines.stream)
  const socket = createWebSocketUpstream(targetsOf(addresses), 600_000, log)
  onTestFinished(() => socket.close())
  const listener = { onLive: vi.fn(), onResult: vi.fn(), onFailure: vi.fn() }
  const change = (...list: string[]) => socket.change(targetsOf(list))
  return { socket, listener, change, log: lines.text }
}

it('sends a pending subscription to the changed target, without a failure', async () => {
  const [first, second] = [
    await startSubscriptionUpstream({ isResponding: false }),
    await startSubscriptionUpstream(),
  ]
  const { socket, change, log } = open(first.url)
  const subscriber = { deliver: vi.fn(), overflow: vi.fn() }
  const joined = new DirectSource(socket, ['syncing'], () => undefined).join(subscriber)
  await waitFor(() => expect(first.subscribed).toBe(1))
  change(second.url)
  await joined
  await waitFor(() => expect(first.server.clients.size).toBe(0))
  expect([second.subscribed, subscriber.overflow.mock.calls, log()]).toEqual([1, [], ''])
})

it('moves an active subscription to the changed target at once', async () => {
  const [first, second] = [await startSubscriptionUpstream(), await startSubscriptionUpstream()]
  const { socket, listener, change, log } = open(first.url)
  const subscription = socket.subscribe(['newHeads'], listener)
  await waitFor(() => expect(subscription.isLive).toBe(true))
  // No delay applies before the next connection.
  vi.spyOn(Math, 'random').mockReturnValue(1e5)
  onTestFinished(() => void vi.restoreAllMocks())
  change(second.url)
  // The upstream is polled in the meantime.
  expect(subscription.isLive).toBe(false)
  await waitFor(() => expect(listener.onLive).toHaveBeenCalledTimes(2))
  expect([listener.onFailure.mock.calls, log()]).toEqual([[], ''])
})

it('keeps the connection to a target that remains', async () => {
  const [first, second] = [await startSubscriptionUpstream(), await startSubscriptionUpstream()]
  const { socket, listener, change } = open(first.url)
  const subscription = socket.subscribe(['newHeads'], listener)
  await waitFor(() => expect(subscription.isLive).toBe(true))
  change(second.url, first.url)
  expect(subscription.isLive).toBe(true)
  // The next one in the changed list follows.
  for (const client of first.server.clients) client.terminate()
  await waitFor(() => expect(listener.onLive).toHaveBeenCalledTimes(2))
  expect([first.subscribed, second.subscribed]).toEqual([1, 1])
})

it('connects to a changed target although the former URL was invalid', async () => {
  const { url } = await startSubscriptionUpstream()
  const { socket, listener, change } = open(invalid)
  const subscription = socket.subscribe(['newHeads'], listener)
  await waitFor(() => expect(listener.onFailure).toHaveBeenCalledTimes(1))
  change(invalid, url)
  await waitFor(() => expect(subscription.isLive).toBe(true))
  expect(listener.onFailure).toHaveBeenCalledTimes(1)
})

it('reports no failure of an invalid URL that was replaced meanwhile', async () => {
  const { url } = await startSubscriptionUpstream()
  const { socket, listener, change } = open(invalid)
  const subscription = socket.subscribe(['newHeads'], listener)
  change(url)
  await waitFor(() => expect(subscription.isLive).toBe(true))
  expect(listener.onFailure).not.toHaveBeenCalled()
})

it('skips an invalid URL when a connection is lost', async () => {
  const { server, url } = await startSubscriptionUpstream()
  const { socket, listener } = open(url, invalid)
  const subscription = socket.subscribe(['newHeads'], listener)
  await waitFor(() => expect(subscription.isLive).toBe(true))
  for (const client of server.clients) client.terminate()
  await waitFor(() => expect(listener.onLive).toHaveBeenCalledTimes(2))
  expect(listener.onFailure).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ status: 502 }), true)
})

it('connects to a changed target without the delay after a failure, and logs the recovery', async () => {
  const { url } = await startSubscriptionUpstream()
  const { socket, listener, change, log } = open(unusedUrl().replace('http', 'ws'))
  // The delay is longer than the test.
  vi.spyOn(Math, 'random').mockReturnValue(1e5)
  onTestFinished(() => void vi.restoreAllMocks())
  const subscription = socket.subscribe(['newHeads'], listener)
  await waitFor(() => expect(listener.onFailure).toHaveBeenCalledTimes(1))
  change(url)
  await waitFor(() => expect(subscription.isLive).toBe(true))
  expect(log()).toContain('the WebSocket to an upstream is connected again')
})

it('disconnects while there is no target', async () => {
  const { server, url } = await startSubscriptionUpstream()
  const { socket, listener, change, log } = open(url)
  const subscription = socket.subscribe(['newHeads'], listener)
  await waitFor(() => expect(subscription.isLive).toBe(true))
  change()
  await waitFor(() => expect(server.clients.size).toBe(0))
  expect([subscription.isLive, socket.hasTargets]).toEqual([false, false])
  expect(listener.onFailure).toHaveBeenCalledExactlyOnceWith(expect.anything(), false)
  change(url)
  await waitFor(() => expect(subscription.isLive).toBe(true))
  expect(log()).toBe('')
})
