import {
  guardedConnect,
  type ConnectionRules,
  operatorRules,
} from '@fairlead/gateway-core/network/guarded-connect'
import { currentPassedThrough, withPassedThrough } from '@fairlead/gateway-core/network/cdn-loop'
import { UpstreamFieldLines } from '@fairlead/gateway-core/network/upstream-fields'
import { type CancellationSignal, runDetached, settleWith, type Tenant } from '@fairlead/runtime'
import { createHttp1Connections, type ReceivedResponse, type ResponseCheck } from '@fairlead/http1'
import { currentTrace, inTrace } from '@fairlead/gateway-core/telemetry/current-trace'
import type { LatencyClass } from '@fairlead/gateway-core/upstream/latency'
import { Batcher } from './batcher.ts'
import type { ResponseCompletion } from '@fairlead/gateway-core/upstream/attempt'
import { bodyOf, type Call } from '../call.ts'
import type { ConnectedUpstream, Upstream } from './types.ts'
import { OwnId } from '../response/own-id.ts'
import { readUnusualResponse } from '../response/unusual-response.ts'
import { UpstreamResponse } from '../response/upstream-response.ts'
import type { MemoryLedger } from '@fairlead/gateway-core/memory/memory-ledger'
import { authorizationOf, secretsOfUrl } from '@fairlead/gateway-core/upstream/upstream-url'
import { responsesIn, upstreamCalls } from './upstream-calls.ts'
import { unavailable } from '@fairlead/gateway-core/upstream/upstream-error'
import type { UpstreamJwt } from './upstream-jwt.ts'

/** Options of an upstream. */
export interface UpstreamOptions {
  /** Connection rules. The default is the rules for upstreams that the operator has configured. */
  readonly rules?: ConnectionRules | undefined
  /** `CDN-Loop` entry of each request. None by default. */
  readonly loopEntry?: string | undefined
  readonly certificateAuthorityFile?: string | undefined
  readonly maxBatchedCalls?: number | undefined
  /** Authenticates each request, in place of user information in the URL. */
  readonly jwt?: UpstreamJwt | undefined
}

/** The body of a request, and how it is sent. */
interface UpstreamRequest {
  /** Undefined for a batch. */
  readonly call: Call | undefined
  readonly body: string
  readonly check: ResponseCheck
  readonly latencyClass: LatencyClass
  readonly isRepeatable: boolean
  readonly tenant: Tenant | undefined
}

/** Maximum number of connections to one upstream. */
const maxConnections = 128

// A reachable upstream accepts a connection quickly. An unreachable one must leave time for another upstream.
const maxConnectMs = 5_000

/**
 * Creates an upstream that opens keep-alive connections on demand. Short calls are pipelined on a few of them. Every
 * other call has exclusive use of a connection.
 *
 * @param address - HTTP URL; user name and password in it are sent as HTTP basic authentication
 * @param timeoutMs - timeout for a response
 * @param memory - budget for buffered responses
 * @param options - PEM file with the CA certificate of a private CA; maximum number of calls in a batch that the
 * upstream accepts, which never exceeds what a client has sent in one batch
 * @throws when the URL is invalid, or the file cannot be read; the error may contain either
 */
export function createEvmUpstream(
  address: string,
  timeoutMs: number,
  memory: MemoryLedger,
  {
    rules = operatorRules,
    loopEntry,
    certificateAuthorityFile,
    maxBatchedCalls = 1,
    jwt,
  }: UpstreamOptions = {},
): ConnectedUpstream {
  const url = new URL(address)
  const connections = createHttp1Connections(url, {
    connectTimeoutMs: Math.min(timeoutMs, maxConnectMs),
    headTimeoutMs: timeoutMs,
    bodyTimeoutMs: timeoutMs,
    maxConnections,
    connect: (options, isSecure) => guardedConnect(options, isSecure, rules),
    certificateAuthorityFile,
  })
  const target = `${url.pathname}${url.search}`
  const secrets = secretsOfUrl(url)
  const fields = new UpstreamFieldLines(
    { 'content-type': 'application/json' },
    authorizationOf(url),
    loopEntry,
  )

  /** Methods with long responses in which the upstream writes the id last. */
  const lateIds = new Set<string>()

  const deliver = (
    response: UpstreamResponse,
    { call, check }: UpstreamRequest,
    completion: ResponseCompletion<UpstreamResponse>,
  ) => {
    const hasId = check instanceof OwnId && check.from !== undefined
    if (call && !hasId && !response.isBuffered) lateIds.add(call.method)
    completion.resolve(response)
  }

  const post = (
    request: UpstreamRequest,
    signal: CancellationSignal,
    completion: ResponseCompletion<UpstreamResponse>,
  ) => {
    const { body, check, latencyClass, isRepeatable, tenant } = request
    const trace = currentTrace()
    const before = currentPassedThrough()
    const token = jwt?.current()
    const call = {
      method: 'POST',
      target,
      fields: fields.of(trace, before, token?.authorization),
      body,
      signal,
      latencyClass,
      isRepeatable,
      isBuffered: true,
      tenant,
      check,
      listener: completion,
    } as const
    const onResponse = (error: Error | undefined, response: ReceivedResponse | undefined) => {
      if (!response) completion.reject(unavailable(error, signal))
      else {
        const id = check instanceof OwnId ? check : undefined
        const known = token ? [...token.secrets, ...secrets] : secrets
        const received = UpstreamResponse.received(response, known, id)
        const isUsual = response.status === 200 && response.contentType?.includes('json')
        if (isUsual) return deliver(received, request, completion)
        settleWith(readUnusualResponse(response, received, request.call, signal), {
          resolve: () => deliver(received, request, completion),
          reject: (failure) => completion.reject(failure),
        })
      }
    }
    connections.exchange(call, (error, response) => {
      if (before !== undefined) {
        withPassedThrough(before, () =>
          trace ? inTrace(trace, () => onResponse(error, response)) : onResponse(error, response),
        )
        return
      }
      // The connection is shared by all calls, and its callbacks run outside of their traces.
      if (currentTrace() === trace) onResponse(error, response)
      else if (trace) inTrace(trace, () => onResponse(error, response))
      else runDetached(() => onResponse(error, response))
    })
  }

  const sendSingle: Upstream['send'] = (call, signal, completion) => {
    const { policy, grant: tenant } = call
    const check = new OwnId()
    // No call waits behind a long response that can be checked only at its end.
    const latencyClass = lateIds.has(call.method) ? 'long' : policy.latencyClass
    const isRepeatable = policy.resending === 'always'
    const body = bodyOf(call, check)
    post({ call, body, check, latencyClass, isRepeatable, tenant }, signal, completion)
  }
  const batcher = new Batcher({
    sendSingle,
    sendBatch: ({ body, check, tenant }, signal, completion) => {
      const request = {
        call: undefined,
        body,
        check,
        latencyClass: 'short',
        isRepeatable: true,
        tenant,
      } as const
      post(request, signal, completion)
    },
    memory,
    maxCalls: maxBatchedCalls,
  })
  const { send } = batcher

  return {
    send,
    ...upstreamCalls(send, responsesIn(memory)),
    get areBatchesDisabled() {
      return batcher.isDisabled
    },
    get lastBytesAt() {
      return connections.lastBytesAt
    },
    get mismatchedResponses() {
      return connections.mismatchedResponses
    },
    close: () => connections.close(),
  }
}
