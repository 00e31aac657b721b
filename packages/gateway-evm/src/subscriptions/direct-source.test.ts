import { describe, expect, it, vi } from 'vitest'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import type { UpstreamListener } from '../upstream/upstream-subscription.ts'
import type { WebSocketUpstream } from '../upstream/websocket-upstream.ts'
import { rpcCodes } from '../rpc-codes.ts'
import { DirectSource, type StartPoll } from './direct-source.ts'
import type { PendingPoll } from './pending-poll.ts'

const failure = new RpcError(rpcCodes.internalError, 'The upstream is unreachable.', { status: 502 })

function withResolvers() {
  let resolve!: () => void
  let reject!: (failure: RpcError) => void
  const promise = new Promise<void>((...settle) => ([resolve, reject] = settle))
  return { promise, resolve, reject }
}

/** A source of pending transactions whose WebSocket and polls the test controls. It starts without a target. */
function sourceWithoutTargets() {
  let listener!: UpstreamListener
  const socket = {
    hasTargets: false,
    subscribe: (_: unknown, given: UpstreamListener) => {
      listener = given
      return { isLive: false, end: vi.fn() }
    },
  }
  const started = withResolvers()
  const poll = { started: started.promise, stop: vi.fn() }
  const startPoll = vi.fn<StartPoll>(() => poll as unknown as PendingPoll)
  const onEnd = vi.fn()
  const source = new DirectSource(socket as unknown as WebSocketUpstream, ['kind'], onEnd, startPoll)
  const subscriber = { deliver: vi.fn(), overflow: vi.fn() }
  const joined = source.join(subscriber)
  listener.onFailure(failure, false)
  return { source, socket, listener, started, poll, startPoll, onEnd, subscriber, joined }
}

it('polls without a target, and stops when the WebSocket has accepted the subscription', async () => {
  const { socket, listener, started, poll, startPoll, subscriber, joined, onEnd } = sourceWithoutTargets()
  started.resolve()
  const membership = await joined
  startPoll.mock.calls[0]?.[0]('0x1')
  socket.hasTargets = true
  // The WebSocket of a new target cannot be reached, and then rejects the subscription.
  listener.onFailure(failure, true)
  listener.onFailure(failure, false)
  expect([poll.stop.mock.calls.length, onEnd.mock.calls.length]).toEqual([0, 0])
  listener.onLive()
  expect(poll.stop).toHaveBeenCalledTimes(1)
  listener.onResult('0x2')
  expect(subscriber.deliver.mock.calls).toEqual([['"0x1"'], ['"0x2"']])
  expect(subscriber.overflow).not.toHaveBeenCalled()
  membership.leave()
  expect(onEnd).toHaveBeenCalledTimes(1)
})

it('stops its polls when the last subscriber leaves', async () => {
  const { started, poll, joined, onEnd } = sourceWithoutTargets()
  started.resolve()
  const membership = await joined
  membership.leave()
  expect([poll.stop.mock.calls.length, onEnd.mock.calls.length]).toEqual([1, 1])
})

it('rejects subscribers when the polls cannot start', async () => {
  const { started, joined, onEnd } = sourceWithoutTargets()
  started.reject(failure)
  await expect(joined).rejects.toBe(failure)
  expect(onEnd).toHaveBeenCalled()
})

it('ignores the end of polls that the WebSocket has replaced', async () => {
  const { listener, started, joined, onEnd, subscriber } = sourceWithoutTargets()
  listener.onLive()
  started.reject(failure)
  await joined
  expect([onEnd.mock.calls, subscriber.overflow.mock.calls]).toEqual([[], []])
})

describe('a subscriber that moves to another source', () => {
  async function movedSubscriber() {
    const [before, after] = [sourceWithoutTargets(), sourceWithoutTargets()]
    before.started.resolve()
    const membership = await before.joined
    // The subscriber that the fixture adds keeps the source open.
    after.joined.catch(() => undefined)
    membership.moveTo(after.source)
    return { before, after, membership, subscriber: before.subscriber }
  }

  it('receives only the notifications of the new one', async () => {
    const { before, after, membership, subscriber } = await movedSubscriber()
    expect([before.poll.stop.mock.calls.length, before.onEnd.mock.calls.length]).toEqual([1, 1])
    after.started.resolve()
    await after.joined
    after.startPoll.mock.calls[0]?.[0]('0x1')
    membership.leave()
    after.startPoll.mock.calls[0]?.[0]('0x2')
    expect(subscriber.deliver.mock.calls).toEqual([['"0x1"']])
    expect(subscriber.overflow).not.toHaveBeenCalled()
  })

  it('stays in the source in which it already is', async () => {
    const { source, started, startPoll, subscriber, joined, onEnd } = sourceWithoutTargets()
    started.resolve()
    const membership = await joined
    membership.moveTo(source)
    startPoll.mock.calls[0]?.[0]('0x1')
    expect(subscriber.deliver.mock.calls).toEqual([['"0x1"']])
    expect(onEnd).not.toHaveBeenCalled()
  })

  it.each([
    ['ends', false, [['the upstream ended the subscription']]],
    ['is no longer notified when it has left', true, []],
  ])('%s when the new one cannot start', async (_, hasLeft, expected) => {
    const { after, membership, subscriber } = await movedSubscriber()
    if (hasLeft) membership.leave()
    after.started.reject(failure)
    await expect(after.joined).rejects.toBe(failure)
    await Promise.resolve()
    expect(subscriber.overflow.mock.calls).toEqual(expected)
  })
})
