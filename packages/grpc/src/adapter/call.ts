import { longestMs } from '@fairlead/core'
import { type Call, type CallStart, GrpcError, type Metadata, Status } from '@fairlead/grpc-transport/wire'
import type { Answer, Carrier, Carry } from './adapter-call.ts'
import { deferred } from './deferred.ts'
import { createInterrupt } from './interrupt.ts'

/** The dependencies of a call on its transport. */
export interface CallParts {
  readonly carry: Carry
  /** Maps an error of the other library to a status. */
  statusOf(error: unknown): GrpcError
  /** Called once, when the call has ended. */
  onEnd(): void
}

/**
 * Begins a call through a carrier, and adds what carriers implement differently: deadline, cancellation, the order of
 * the end.
 */
export function openCall(start: CallStart, { carry, statusOf, onEnd }: CallParts): Call {
  const { timeoutMs, signal } = start
  const exchange = new AbortController()
  const headers = deferred<Metadata>()
  // A carrier may react to the signal with a delay.
  const ended = createInterrupt()
  let carrier: Carrier | undefined
  let answer: Answer | undefined
  let failure: { readonly error: unknown } | undefined
  let isOver = false
  let pulling: Promise<boolean> | undefined

  function over(): void {
    isOver = true
    clearTimeout(timer)
    signal?.removeEventListener('abort', aborted)
    ended.end()
    onEnd()
  }

  function fail(error: unknown): void {
    if (isOver) return
    failure = { error }
    over()
    headers.reject(error)
    exchange.abort()
  }

  function aborted(): void {
    fail(signal?.reason)
  }

  async function pull(): Promise<boolean> {
    try {
      const arrived = await ended.until(carrier?.answer)
      const hasMessage = (await ended.until(arrived?.pull())) ?? false
      if (!hasMessage && !isOver) over()
      if (failure) throw failure.error
      return hasMessage
    } catch (error) {
      fail(statusOf(error))
      // An abort breaks the exchange, whose own error is meaningless then.
      throw failure ? failure.error : error
    }
  }

  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(
          () => fail(new GrpcError(Status.DEADLINE_EXCEEDED, 'the deadline of the call has passed')),
          Math.min(timeoutMs, longestMs),
        )
  signal?.addEventListener('abort', aborted, { once: true })
  if (signal?.aborted) aborted()
  else begin()

  function begin(): void {
    try {
      carrier = carry(start, exchange.signal)
    } catch (error) {
      return fail(statusOf(error))
    }
    void hear(carrier)
  }

  async function hear(carried: Carrier): Promise<void> {
    try {
      answer = await carried.answer
      headers.resolve(answer.headers)
    } catch (error) {
      fail(statusOf(error))
    }
  }

  return {
    headers: headers.promise,
    get trailers() {
      return answer?.trailers
    },
    read: () => (failure ? undefined : answer?.read()),
    async readable() {
      if (failure) throw failure.error
      pulling ??= pull().finally(() => {
        pulling = undefined
      })
      return pulling
    },
    async send(message) {
      if (isOver) return
      try {
        await ended.until(carrier?.send(message))
      } catch (error) {
        fail(statusOf(error))
      }
    },
    end() {
      if (!isOver) carrier?.end()
    },
    cancel: (reason = new GrpcError(Status.CANCELLED, 'the call was cancelled')) => fail(reason),
  }
}
