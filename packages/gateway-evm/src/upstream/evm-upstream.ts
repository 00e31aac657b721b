import {
  guardedConnect,
  type ConnectionRules,
  operatorRules,
} from '@fairlead/gateway-core/network/guarded-connect'
import {
  currentPassedThrough,
  loopField,
  loopValue,
  withPassedThrough,
} from '@fairlead/gateway-core/network/cdn-loop'
import {
  type CancellationSignal,
  createHttp1Connections,
  headerLines,
  type ReceivedResponse,
  runDetached,
} from '@fairlead/http1'
import { currentTrace, inTrace } from '@fairlead/gateway-core/telemetry/current-trace'
import { latencyClass } from '../methods/latency-class.ts'
import { ResponseInspector } from '@fairlead/gateway-core/redaction/response-inspector'
import { Batcher } from './batcher.ts'
import { idempotencyOf } from './idempotency.ts'
import type { ResponseCompletion } from '@fairlead/gateway-core/upstream/attempt'
import { type ConnectedUpstream, unknownCall, type Upstream } from './types.ts'
import type { UpstreamResponse } from './upstream-response.ts'
import type { MemoryBudget } from '@fairlead/gateway-core/memory/memory-budget'
import { authorizationOf, secretsOfUrl } from '@fairlead/gateway-core/upstream/upstream-url'
import { upstreamCalls } from './upstream-calls.ts'
import { unavailable, UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'
import type { UpstreamJwt } from './upstream-jwt.ts'

/** Options of an upstream. */
export interface UpstreamOptions {
  /** Connection rules. The default is the rules for upstreams that the operator has configured. */
  readonly rules?: ConnectionRules | undefined
  /** `CDN-Loop` entry of each request. None by default. */
  readonly loopEntry?: string | undefined
  readonly certificateAuthorityFile?: string | undefined
  readonly mostBatchedCalls?: number | undefined
  /** Authenticates each request, in place of user information in the URL. */
  readonly jwt?: UpstreamJwt | undefined
}

/** Maximum number of connections to one upstream. */
const maxConnections = 128

// A reachable upstream accepts a connection quickly. An unreachable one must leave time for another upstream.
const longestConnectMs = 5_000

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
  memory: MemoryBudget,
  {
    rules = operatorRules,
    loopEntry,
    certificateAuthorityFile,
    mostBatchedCalls = 1,
    jwt,
  }: UpstreamOptions = {},
): ConnectedUpstream {
  const url = new URL(address)
  const connections = createHttp1Connections(url, {
    connectTimeoutMs: Math.min(timeoutMs, longestConnectMs),
    headTimeoutMs: timeoutMs,
    bodyTimeoutMs: timeoutMs,
    maxConnections,
    connect: (options, isSecure) => guardedConnect(options, isSecure, rules),
    certificateAuthorityFile,
  })
  const target = `${url.pathname}${url.search}`
  const authorization = authorizationOf(url)
  const secrets = secretsOfUrl(url)
  const type = 'application/json'
  const ownFields = headerLines({
    'content-type': type,
    ...(authorization !== undefined && { authorization }),
  })
  const loopLine = loopEntry === undefined ? '' : headerLines({ [loopField]: loopEntry })
  // Nearly all requests have these headers.
  const usualFields = `${ownFields}${loopLine}`

  const post = (
    body: string,
    signal: CancellationSignal,
    pace: 'quick' | 'slow',
    isRepeatable: boolean,
    owner: string | undefined,
    completion: ResponseCompletion<UpstreamResponse>,
  ) => {
    const trace = currentTrace()
    const before = currentPassedThrough()
    const token = jwt?.current()
    const untokened =
      before === undefined || loopEntry === undefined
        ? usualFields
        : `${ownFields}${headerLines({ [loopField]: loopValue(loopEntry) })}`
    const fields = token === undefined ? untokened : `${untokened}authorization: ${token.authorization}\r\n`
    const call = {
      method: 'POST',
      target,
      fields: trace ? `${fields}traceparent: ${trace.traceparent}\r\n` : fields,
      body,
      signal,
      pace,
      isRepeatable,
      isBuffered: true,
      owner,
      inspector: inspectResponse,
      listener: completion,
    } as const
    const hear = (error: Error | undefined, answer: ReceivedResponse | undefined) => {
      if (!answer) completion.reject(unavailable(error, signal))
      else if (answer.status === 200 && answer.contentType?.includes('json')) {
        completion.resolve(new NodeAnswer(answer, token ? [...token.secrets, ...secrets] : secrets))
      } else completion.reject(refused(answer))
    }
    connections.exchange(call, (error, answer) => {
      if (before !== undefined) {
        withPassedThrough(before, () =>
          trace ? inTrace(trace, () => hear(error, answer)) : hear(error, answer),
        )
        return
      }
      // The connection is shared by all calls, and its callbacks run outside of their traces.
      if (currentTrace() === trace) hear(error, answer)
      else if (trace) inTrace(trace, () => hear(error, answer))
      else runDetached(() => hear(error, answer))
    })
  }

  const alone: Upstream['send'] = (body, signal, { method, credentialId } = unknownCall, completion) =>
    post(body, signal, latencyClass(method), idempotencyOf(method) === 'always', credentialId, completion)
  const { send } = new Batcher({
    alone,
    together: (body, signal, completion, owner) => post(body, signal, 'quick', true, owner, completion),
    memory,
    mostCalls: mostBatchedCalls,
  })

  return {
    send,
    ...upstreamCalls(send, memory),
    get lastBytesAt() {
      return connections.lastBytesAt
    },
    close: () => connections.close(),
  }
}

const loopDetected = 508

const inspectResponse = () => new ResponseInspector()

class NodeAnswer implements UpstreamResponse {
  readonly #answer: ReceivedResponse
  readonly secrets: readonly string[]

  constructor(answer: ReceivedResponse, secrets: readonly string[]) {
    this.#answer = answer
    this.secrets = secrets
  }

  get bytes(): Buffer | undefined {
    return this.#answer.bytes
  }

  get latin1(): string | undefined {
    return this.#answer.latin1
  }

  get body(): UpstreamResponse['body'] {
    return this.#answer.body
  }

  get contentLength(): string | undefined {
    const { length } = this.#answer
    return length === undefined ? undefined : String(length)
  }

  get delimited(): boolean {
    return this.#answer.isDelimited
  }
}

function refused(answer: ReceivedResponse): UpstreamError {
  if (!answer.bytes) void answer.body.dump()
  const retryAfter = Number(answer.header('retry-after'))
  return new UpstreamError('refused', `The node answered HTTP ${answer.status}.`, {
    // Every gateway on a forwarding loop returns this status.
    ...(answer.status === loopDetected && { status: loopDetected }),
    httpStatus: answer.status,
    retryAfterMs: retryAfter >= 0 ? retryAfter * 1_000 : undefined,
  })
}
