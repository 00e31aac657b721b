import { loopField, loopReason } from '@fairlead/gateway-core/network/cdn-loop'
import { GrpcError, Status, type StatusCode } from '@fairlead/grpc-transport/wire'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { type Permit, isRejection, type Rejection } from '@fairlead/gateway-core/admission/types'
import type { RequestSource } from '@fairlead/gateway-core/http/client-address'
import { endOfError, errorOfRefusal } from './call-status.ts'
import { isCallPath, isStreamingMethod, labelOf } from './call-path.ts'
import type { Downstream } from './downstream.ts'
import type { GrpcDependencies } from '../dependencies.ts'
import { headersForNode, type ReceivedHeaders, single } from './metadata.ts'
import { recordCall } from './record-call.ts'
import { createMessageCounter } from './message-counter.ts'
import { type OpenCall, statusOfLoss } from './open-calls.ts'
import { ProxiedCall } from './proxied-call.ts'

/** What a client asks for. */
export interface CallRequest {
  readonly path: string
  /** `:authority` or `host`. */
  readonly host: string | undefined
  readonly received: ReceivedHeaders
  /** The connection that it came by. */
  readonly socket: RequestSource['socket']
  readonly isWeb: boolean
}

/** Takes one call through authentication, admission and dispatch. It never throws. */
export function beginCall(dependencies: GrpcDependencies, request: CallRequest, client: Downstream): void {
  const started = performance.now()
  const method = labelOf(request.path)
  let grant: Grant | undefined
  const bytes = { in: 0, out: 0 }
  const releases: (() => void)[] = []
  const measure = (code: StatusCode) => {
    for (const release of releases) release()
    const measured = { path: request.path, method, code, grant, started }
    recordCall(dependencies, { ...measured, bytesIn: bytes.in, bytesOut: bytes.out })
  }
  const refuse = (error: unknown) => {
    if (!(error instanceof GrpcError)) dependencies.log.error({ err: error }, 'node request failed')
    const known = error instanceof GrpcError ? error : new GrpcError(Status.INTERNAL, 'Internal error.')
    client.requests.on('error', () => undefined)
    client.answer.on('error', () => undefined)
    client.end(endOfError(known).trailers)
    client.requests.resume()
    measure(known.code)
  }
  try {
    const found = enter(dependencies, request)
    grant = found
    releases.push(dependencies.limits.enter(found.credentialId, request.path))
    const go = (place: Permit | undefined) => {
      if (place) releases.push(() => place.release())
      if (client.answer.destroyed) throw new GrpcError(Status.CANCELLED, 'The client is gone.')
      forward(dependencies, { request, method, grant: found, bytes, onEnd: measure }, client)
    }
    const admitted = admit(dependencies, found, request.path, client)
    if (admitted instanceof Promise) admitted.then(go).catch(refuse)
    else go(admitted)
  } catch (error) {
    refuse(error)
  }
}

/**
 * Takes a call against the limits of its grant. One that may stay open for ever takes no place among the calls.
 *
 * @throws GrpcError that says which limit it was
 */
function admit(
  { admission }: GrpcDependencies,
  grant: Grant,
  path: string,
  client: Downstream,
): Permit | undefined | Promise<Permit> {
  const method = path.slice(1)
  if (isStreamingMethod(path)) {
    const rejection = admission.admitStream(grant, method)
    if (rejection) throw errorOfRefusal(rejection)
    return undefined
  }
  const gone = new AbortController()
  const place = admission.admit(grant, method, gone.signal)
  if (!(place instanceof Promise)) return placeOf(place)
  const leave = () => gone.abort()
  client.answer.once('close', leave)
  return place.then(placeOf).finally(() => client.answer.off('close', leave))
}

function placeOf(answer: Permit | Rejection): Permit {
  if (isRejection(answer)) throw errorOfRefusal(answer)
  return answer
}

function enter(
  { authenticator, loops }: GrpcDependencies,
  { path, received, host, socket }: CallRequest,
): Grant {
  const loop = received.headers[loopField]
  if (loop !== undefined && loops?.isLoop(String(loop)) === true) {
    throw new GrpcError(Status.FAILED_PRECONDITION, loopReason)
  }
  const xToken = single(received.headers['x-token'])
  const grant = authenticator.authenticateXToken('grpc', xToken, host, { headers: received.headers, socket })
  if ('status' in grant) throw errorOfRefusal(grant)
  if (!isCallPath(path)) {
    throw new GrpcError(Status.UNIMPLEMENTED, 'The path of a call is /<package>.<Service>/<Method>.')
  }
  if (grant.withheldMethods?.includes(path)) {
    throw new GrpcError(Status.UNIMPLEMENTED, 'The node does not offer this method.')
  }
  return grant
}

interface AdmittedCall {
  readonly request: CallRequest
  readonly method: string
  readonly grant: Grant
  /** Counted here, but for those that were counted with a message of a stream. */
  readonly bytes: { in: number; out: number }
  readonly onEnd: (code: StatusCode) => void
}

function forward(
  dependencies: GrpcDependencies,
  { request, method, grant, bytes: passed, onEnd }: AdmittedCall,
  client: Downstream,
): void {
  const { metrics, openCalls, stalledCalls, admission, authenticator } = dependencies
  const node = dependencies.nodes.of(grant)
  const countMessages = createMessageCounter()
  const messages = metrics.messages.labels({ method })
  let answered = 0
  const headers = headersForNode(request.path, request.received, request.isWeb)
  if (dependencies.loops) {
    const before = request.received.headers[loopField]
    headers[loopField] =
      before === undefined ? dependencies.loops.entry : `${String(before)}, ${dependencies.loops.entry}`
  }
  const call: ProxiedCall = new ProxiedCall(client, node, headers, {
    onRequest: (bytes) => {
      metrics.bytesIn.inc(bytes.length)
      passed.in += bytes.length
    },
    onAnswer: (bytes) => {
      metrics.bytesOut.inc(bytes.length)
      passed.out += bytes.length
      const count = countMessages(bytes)
      if (count === 0) return
      answered += count
      messages.inc(count)
      if (!isStreamingMethod(request.path)) return
      const pushed = { method, status: 200, bytesOut: passed.out, pushes: count }
      dependencies.meter({ ...pushed, protocol: 'grpc', grant })
      passed.out = 0
      const rejection = admission.push(grant, count)
      if (rejection) call.terminate(Status.RESOURCE_EXHAUSTED, rejection.reason)
    },
    onStall: () => stalledCalls.add(call),
    onFlow: () => stalledCalls.delete(call),
    onEnd: (code) => {
      openCalls.delete(open)
      stalledCalls.delete(call)
      metrics.open.dec()
      onEnd(code)
    },
  })
  const requester = {
    address: authenticator.addressOf({ headers: request.received.headers, socket: request.socket }),
    origin: request.received.headers.origin,
  }
  const open: OpenCall = {
    call,
    grant,
    requester,
    isStream: () => answered > 1 || isStreamingMethod(request.path),
    end: (loss) => call.terminate(...statusOfLoss(loss)),
  }
  openCalls.add(open)
  metrics.open.inc()
  call.begin()
}
