import { longestMs } from '@fairlead/core'
import { type Call, type CallStart, GrpcError, type Metadata, Status } from '@fairlead/grpc-transport/wire'
import type { AdapterResponse, AdapterCall, StartCall } from './adapter-call.ts'
import { deferred } from './deferred.ts'
import { createInterrupt } from './interrupt.ts'

/** The dependencies of a call on its transport. */
export interface CallContext {
  readonly startCall: StartCall
  /** Maps an error of the other library to a status. */
  statusOf(error: unknown): GrpcError
  /** Called once, when the call has ended. */
  onEnd(): void
}

/**
 * Begins a call through a transport adapter, and adds what adapters implement differently: deadline, cancellation, the
 * order of the end.
 */
export function openCall(start: CallStart, { startCall, statusOf, onEnd }: CallContext): Call {
  const { timeoutMs, signal } = start
  const exchange = new AbortController()
  const headers = deferred<Metadata>()
  // An adapter may react to the signal with a delay.
  const interrupt = createInterrupt()
  let adapterCall: AdapterCall | undefined
  let response: AdapterResponse | undefined
  let failure: { readonly error: unknown } | undefined
  let hasEnded = false
  let pulling: Promise<boolean> | undefined

  function finish(): void {
    hasEnded = true
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
    interrupt.end()
    onEnd()
  }

  function fail(error: unknown): void {
    if (hasEnded) return
    failure = { error }
    finish()
    headers.reject(error)
    exchange.abort()
  }

  function onAbort(): void {
    fail(signal?.reason)
  }

  async function pull(): Promise<boolean> {
    try {
      const received = await interrupt.wait(adapterCall?.response)
      const hasMessage = (await interrupt.wait(received?.pull())) ?? false
      if (!hasMessage && !hasEnded) finish()
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
  signal?.addEventListener('abort', onAbort, { once: true })
  if (signal?.aborted) onAbort()
  else begin()

  function begin(): void {
    try {
      adapterCall = startCall(start, exchange.signal)
    } catch (error) {
      return fail(statusOf(error))
    }
    void receiveHeaders(adapterCall)
  }

  async function receiveHeaders(started: AdapterCall): Promise<void> {
    try {
      response = await started.response
      headers.resolve(response.headers)
    } catch (error) {
      fail(statusOf(error))
    }
  }

  return {
    headers: headers.promise,
    get trailers() {
      return response?.trailers
    },
    read: () => (failure ? undefined : response?.read()),
    async readable() {
      if (failure) throw failure.error
      pulling ??= pull().finally(() => {
        pulling = undefined
      })
      return pulling
    },
    async send(message) {
      if (hasEnded) return
      try {
        await interrupt.wait(adapterCall?.send(message))
      } catch (error) {
        fail(statusOf(error))
      }
    },
    end() {
      if (!hasEnded) adapterCall?.end()
    },
    cancel: (reason = new GrpcError(Status.CANCELLED, 'the call was cancelled')) => fail(reason),
  }
}
