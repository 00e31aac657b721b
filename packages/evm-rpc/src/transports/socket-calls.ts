import { type CallOptions, FairleadError } from '@fairlead/core'
import type { RpcRequest } from '../transport.ts'
import type { JsonRpcResponse } from './response.ts'
import { outcomesOf } from './batch-response.ts'
import { requireMilliseconds } from './configuration.ts'
import { createEnvelopes, type Envelope, operationOf } from './envelope.ts'
import { failed, type Outcome } from './outcomes.ts'

// The status of an error object that was received over a socket.
const status = 200

export interface SocketCallsOptions {
  /** Sends immediately; returns false when there is no open connection, and then {@link SocketCalls.flush} follows. */
  readonly send: (text: string) => boolean
  /** The error of a call when there will be no further connection. */
  readonly ended: (operation: string) => Error | undefined
  /** Why there is no connection. */
  readonly unavailableReason: () => string
  /** Whether a call must not wait for a connection. */
  readonly isUnreachable: () => boolean
  readonly secrets: readonly string[]
  readonly timeoutMs: number
}

export interface ExchangeOptions extends CallOptions {
  /** Whether it can be sent once more when the connection breaks before the response. */
  readonly resend: boolean
}

/** The calls that wait for a connection or for a response. */
export interface SocketCalls {
  /**
   * Sends calls in one message, immediately or when there is a connection. `settle` is called once with the outcomes,
   * also for calls that cannot be sent at all.
   */
  exchange(
    requests: readonly RpcRequest[],
    options: ExchangeOptions,
    settle: (outcomes: readonly Outcome[]) => void,
  ): void
  /** Delivers a response, or several in an array, to the waiting calls. */
  receive(message: unknown): void
  /** A connection is open: sends the queued calls. */
  flush(): void
  /** The connection broke: calls that can be sent once more wait for the next one, the others fail. */
  lost(reason: string): void
  /** No connection was established in time: the queued calls fail. */
  unreachable(reason: string): void
  /** There will be no further connection: all calls fail. */
  end(error: (operation: string) => Error): void
}

interface Exchange {
  readonly operation: string
  readonly envelopes: readonly Envelope[]
  readonly text: string
  readonly resend: boolean
  readonly timeoutMs: number
  /** Number of times it was sent. */
  sent: number
  isWaiting: boolean
  settle(outcomes: readonly Outcome[]): void
  fail(error: unknown): void
}

export function createSocketCalls(options: SocketCallsOptions): SocketCalls {
  const { secrets } = options
  const envelopeOf = createEnvelopes()
  const exchanges = new Set<Exchange>()
  const byId = new Map<unknown, Exchange>()

  function transmit(exchange: Exchange): void {
    exchange.isWaiting = !options.send(exchange.text)
    if (!exchange.isWaiting) exchange.sent++
  }

  function fail(exchange: Exchange, code: 'TRANSPORT_FAILED' | 'TRANSPORT_TIMEOUT', reason: string): void {
    const { operation, sent: attempt, timeoutMs } = exchange
    exchange.fail(new FairleadError(code, { operation, attempt, timeoutMs, reason }))
  }

  // An error without an id belongs to the call that is in flight, if there is only one; with several it is ambiguous.
  function onlySentExchange(): Exchange | undefined {
    const [only, ...rest] = [...exchanges].filter(({ isWaiting }) => !isWaiting)
    return rest.length === 0 ? only : undefined
  }

  return {
    exchange(requests, { resend, signal, timeoutMs = options.timeoutMs }, settle) {
      const operation = operationOf(requests, secrets)
      const envelopes = requests.map(envelopeOf)
      let text: string
      try {
        requireMilliseconds('timeoutMs', timeoutMs)
        text = JSON.stringify(envelopes.length === 1 ? envelopes[0] : envelopes)
      } catch (error) {
        return settle(requests.map(() => failed(error)))
      }
      const finish = (outcomes: readonly Outcome[]): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
        exchanges.delete(exchange)
        for (const { id } of envelopes) byId.delete(id)
        settle(outcomes)
      }
      const abort = (): void => exchange.fail(signal?.reason)
      const exchange: Exchange = {
        operation,
        envelopes,
        text,
        resend,
        timeoutMs,
        sent: 0,
        isWaiting: true,
        settle: finish,
        fail: (error) => finish(requests.map(() => failed(error))),
      }
      const timer = setTimeout(() => {
        fail(exchange, 'TRANSPORT_TIMEOUT', exchange.isWaiting ? options.unavailableReason() : 'no answer')
      }, timeoutMs)
      if (signal?.aborted) return abort()
      const ended = options.ended(operation)
      if (ended) return exchange.fail(ended)
      if (options.isUnreachable()) return fail(exchange, 'TRANSPORT_FAILED', options.unavailableReason())
      signal?.addEventListener('abort', abort)
      exchanges.add(exchange)
      for (const { id } of envelopes) byId.set(id, exchange)
      transmit(exchange)
    },
    receive(message) {
      const responses = [message].flat() as (JsonRpcResponse | null | undefined)[]
      const matched = responses.map((response) => byId.get(response?.id)).find((exchange) => exchange)
      const exchange = matched ?? (responses[0]?.id === null ? onlySentExchange() : undefined)
      exchange?.settle(outcomesOf(exchange.envelopes, responses, status, secrets))
    },
    flush() {
      for (const exchange of exchanges) if (exchange.isWaiting) transmit(exchange)
    },
    lost(reason) {
      for (const exchange of exchanges) {
        if (exchange.isWaiting) continue
        if (exchange.resend && exchange.sent === 1) exchange.isWaiting = true
        else fail(exchange, 'TRANSPORT_FAILED', reason)
      }
    },
    unreachable(reason) {
      for (const exchange of exchanges) if (exchange.isWaiting) fail(exchange, 'TRANSPORT_FAILED', reason)
    },
    end(error) {
      for (const exchange of exchanges) exchange.fail(error(exchange.operation))
    },
  }
}
