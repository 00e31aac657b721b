import type { Logger } from 'pino'
import { recordFailure, recordSuccess } from '@fairlead/gateway-core/clients/connection-failures'
import type { CallPool } from '../upstream/grpc-upstreams.ts'
import { currentPassedThrough, hasLooped, loopReason } from '@fairlead/gateway-core/network/cdn-loop'
import { upstreamFields } from '@fairlead/gateway-core/network/upstream-fields'
import { GrpcError, Status, type StatusCode } from '@fairlead/grpc-transport/wire'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import type { Permit } from '@fairlead/gateway-core/admission/types'
import { RequestContext, type RequestKind } from '@fairlead/gateway-core/http/request-context'
import type { RequestSource } from '@fairlead/gateway-core/http/client-address'
import { toUpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'
import { endOfError, errorOfRejection } from './call-status.ts'
import { isCallPath, methodOf } from './call-path.ts'
import type { CalledMethod } from './grpc-policy.ts'
import type { Downstream } from './downstream.ts'
import type { GrpcDependencies } from '../dependencies.ts'
import { headersForUpstream, type ReceivedHeaders, firstValue } from './metadata.ts'
import { recordCall } from './record-call.ts'
import { createMessageCounter } from './message-counter.ts'
import { type OpenCall, statusOfLoss } from './open-calls.ts'
import { GeyserSubscription } from '../geyser/geyser-subscription.ts'
import type { CallObserver } from './call-observer.ts'
import { ProxiedCall } from './proxied-call.ts'
import { maxRetryBytes } from './sent-requests.ts'
import { maxResponseBytes } from './downstream.ts'
import { upstreamWindowBytes } from '../upstream/grpc-connections.ts'
import type { MemoryReservation, MemorySource } from '@fairlead/gateway-core/clients/client-memory'

/** A client's request. */
export interface CallRequest {
  readonly path: string
  /** `:authority` or `host`. */
  readonly host: string | undefined
  readonly received: ReceivedHeaders
  /** The connection of the request. */
  readonly socket: RequestSource['socket']
  /** The HTTP/2 stream of the request. */
  readonly stream?: { readonly session?: { close(): void } | undefined } | undefined
  readonly isWeb: boolean
}

// The HTTP status of a failed authentication.
const unauthorized = 401

// The objects of a call with its two streams, and the requests that are buffered for a retry.
const callBytes = 32_768 + maxRetryBytes

// What both sides buffer for a client that does not read.
const stalledCallBytes = maxResponseBytes + upstreamWindowBytes

const callKind: RequestKind = {
  protocol: 'grpc',
  traceAttributes: { 'rpc.system': 'grpc' },
  failure: errorOfRejection,
}

/** Authenticates, admits and dispatches one call. It never throws. */
export function handleCall(dependencies: GrpcDependencies, request: CallRequest, client: Downstream): void {
  const context = new RequestContext(dependencies, callKind)
  const method = methodOf(request.path)
  context.method = method.label
  // A method that the contract does not define may be a stream.
  context.isStreaming = method.isStream !== false
  context.begin(request.received.headers)
  const call = { context, request, method }
  if (context.hasAsyncContext) context.run(() => serve(dependencies, call, client))
  else serve(dependencies, call, client)
}

/** A call, and how the gateway treats it. */
interface ReceivedCall {
  readonly context: RequestContext
  readonly request: CallRequest
  readonly method: CalledMethod
}

function serve(
  dependencies: GrpcDependencies,
  { context, request, method }: ReceivedCall,
  client: Downstream,
): void {
  const releases: (() => void)[] = []
  const record = (code: StatusCode) => {
    for (const release of releases) release()
    recordCall(context, code, dependencies.metrics)
  }
  const reject = (error: unknown) => {
    const grpcError = toGrpcError(error, context.log)
    if (grpcError.code === Status.UNAUTHENTICATED && recordFailure(request, unauthorized)) {
      request.stream?.session?.close()
    }
    client.requests.on('error', () => undefined)
    client.response.on('error', () => undefined)
    client.end(endOfError(grpcError).trailers)
    client.requests.resume()
    record(grpcError.code)
  }
  try {
    const grant = authenticate(dependencies, request)
    context.grant = grant
    recordSuccess(request)
    releases.push(dependencies.limits.acquire(grant.credentialId, request.path))
    const memory = dependencies.memory && reserveCall(dependencies.memory, grant)
    if (memory) releases.push(() => memory.release())
    const dispatch = (permit: Permit | undefined) => {
      if (permit) releases.push(() => permit.release())
      if (client.response.destroyed) throw new GrpcError(Status.CANCELLED, 'The client disconnected.')
      forward(dependencies, { context, request, method, grant, memory, onEnd: record }, client)
    }
    const admitted = admit({ context, request, method }, client)
    if (admitted instanceof Promise) admitted.then(dispatch).catch(reject)
    else dispatch(admitted)
  } catch (error) {
    reject(error)
  }
}

/** Returns the error to respond with. An error of any other type is logged and is not exposed to the caller. */
function toGrpcError(error: unknown, log: Logger): GrpcError {
  if (error instanceof GrpcError) return error
  const upstreamError = toUpstreamError(error)
  if (upstreamError) {
    const code = upstreamError.kind === 'aborted' ? Status.CANCELLED : Status.UNAVAILABLE
    return new GrpcError(code, upstreamError.message)
  }
  log.error({ err: error }, 'node request failed')
  return new GrpcError(Status.INTERNAL, 'Internal error.')
}

/**
 * Checks a call against the limits of its grant. A call that may stay open indefinitely takes no concurrency slot.
 *
 * @throws GrpcError that names the limit
 */
function admit(
  { context, request, method: { isStream, policy } }: ReceivedCall,
  client: Downstream,
): Permit | undefined | Promise<Permit> {
  const name = request.path.slice(1)
  if (isStream) {
    context.admitStream(name, policy.cost)
    return undefined
  }
  const admitted = context.admit(name, policy.cost)
  if (!(admitted instanceof Promise)) return admitted
  const onClose = () => context.abort()
  client.response.once('close', onClose)
  return admitted.finally(() => client.response.off('close', onClose))
}

function authenticate(
  { authenticator, loops }: GrpcDependencies,
  { path, received, host, socket, stream }: CallRequest,
): Grant {
  if (hasLooped(loops, received.headers)) {
    throw new GrpcError(Status.FAILED_PRECONDITION, loopReason)
  }
  const xToken = firstValue(received.headers['x-token'])
  const grant = authenticator.authenticateXToken('grpc', xToken, host, {
    headers: received.headers,
    socket,
    stream,
  })
  if ('status' in grant) throw errorOfRejection(grant)
  if (!isCallPath(path)) {
    throw new GrpcError(Status.UNIMPLEMENTED, 'The path of a call must be /<package>.<Service>/<Method>.')
  }
  if (grant.withheldMethods?.includes(path)) {
    throw new GrpcError(Status.UNIMPLEMENTED, 'The node does not offer this method.')
  }
  return grant
}

/** @throws GrpcError when the owner of the grant may not hold so much */
function reserveCall(source: MemorySource, grant: Grant): MemoryReservation {
  const memory = source.reserve(grant, 'pending')
  if (memory.tryTake(callBytes) === undefined) return memory
  throw new GrpcError(Status.RESOURCE_EXHAUSTED, 'The gateway has reached its memory limit. Try again later.')
}

interface AdmittedCall extends ReceivedCall {
  readonly grant: Grant
  readonly memory: MemoryReservation | undefined
  readonly onEnd: (code: StatusCode) => void
}

function forward(
  dependencies: GrpcDependencies,
  { context, request, method: called, grant, memory, onEnd }: AdmittedCall,
  client: Downstream,
): void {
  const { metrics, openCalls, stalledCalls, admission, authenticator } = dependencies
  const { method, span } = context
  const pool = dependencies.upstreams.of(grant)
  const countMessages = createMessageCounter()
  const messages = metrics.messages.labels({ method })
  let responseMessages = 0
  // Whether the node no longer has the upstream of the call.
  let isUnlisted = false
  // A unary method responds with one message, after the end of the request.
  const isStream = () =>
    called.isStream === true || responseMessages > (client.requests.readableEnded ? 1 : 0)
  const headers = headersForUpstream(request.path, request.received, request.isWeb)
  const loopEntry = dependencies.loops?.entry
  // The connection adds the credential of the upstream.
  Object.assign(headers, upstreamFields({ loopEntry, passedThrough: currentPassedThrough(), trace: span }))
  const observer: CallObserver = {
    onRequest: (bytes) => {
      metrics.bytesIn.inc(bytes.length)
      context.bytesIn += bytes.length
    },
    onResponse: (bytes) => {
      metrics.bytesOut.inc(bytes.length)
      context.bytesOut += bytes.length
      const count = countMessages(bytes)
      if (count === 0) return
      responseMessages += count
      messages.inc(count)
      if (isUnlisted && isStream()) call.terminate(...statusOfLoss({ cause: 'moved' }))
      if (!called.isStream) return
      const usage = { method, status: 200, bytesOut: context.bytesOut, pushes: count }
      dependencies.meter({ ...usage, protocol: 'grpc', grant })
      // Bytes that are counted with a message are not counted again with the call.
      context.bytesOut = 0
      const rejection = admission.push(grant, count)
      if (rejection) call.terminate(Status.RESOURCE_EXHAUSTED, rejection.reason)
    },
    onStall: () => {
      stalledCalls.add(call)
      if (memory?.resize(callBytes + stalledCallBytes) === false) {
        call.terminate(Status.RESOURCE_EXHAUSTED, 'The client reads too slowly.')
      }
    },
    onResume: () => {
      stalledCalls.delete(call)
      memory?.resize(callBytes)
    },
    onEnd: (code) => {
      openCalls.delete(openCall)
      stalledCalls.delete(call)
      metrics.open.dec()
      onEnd(code)
    },
  }
  const resumable = isResumable(called, request, pool) ? new GeyserSubscription() : undefined
  if (resumable) headers['grpc-accept-encoding'] = 'identity'
  const call: ProxiedCall = new ProxiedCall(client, pool, { headers, tenant: grant }, observer, resumable)
  const requester = {
    address: authenticator.addressOf({ headers: request.received.headers, socket: request.socket }),
    origin: request.received.headers.origin,
  }
  const openCall: OpenCall = {
    call,
    grant,
    requester,
    isStream,
    renew: (current) => {
      const successor = dependencies.upstreams.successorOf(call.upstreams, current)
      if (successor) call.upstreams = successor
      isUnlisted = !successor || !call.isUpstreamListed
      // A unary call completes at its upstream.
      if (!isUnlisted || !isStream()) return true
      isUnlisted = !successor || !call.move()
      return !isUnlisted
    },
    end: (loss) => call.terminate(...statusOfLoss(loss)),
  }
  openCalls.add(openCall)
  metrics.open.inc()
  call.begin()
}

/** Whether a call can resume at another upstream. Compressed messages cannot be parsed. */
function isResumable({ policy }: CalledMethod, { received }: CallRequest, pool: CallPool): boolean {
  const { 'grpc-encoding': encoding = 'identity' } = received.headers
  return policy.resume === 'geyser' && pool.current.hasSeveral && encoding === 'identity'
}
