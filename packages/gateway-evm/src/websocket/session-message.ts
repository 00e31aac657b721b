import type { Logger } from 'pino'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import type { Admission } from '@fairlead/gateway-core/admission/types'
import { sizeLimit } from '@fairlead/gateway-core/admission/request-limits'
import {
  RequestContext,
  type RequestKind,
  type RequestServices,
} from '@fairlead/gateway-core/http/request-context'
import type { CancellationSignal } from '@fairlead/http1'
import type { ResponseCaches } from '../cache/caches.ts'
import { rejectedCall } from '../rejected-call.ts'
import type { ClientSubscriptions } from '../subscriptions/client-subscriptions.ts'
import type { Upstream } from '../upstream/types.ts'
import type { MessageContext } from './handle-message.ts'
import type { Expirable } from '@fairlead/gateway-core/http/deadlines'
import type { RpcEndpoint } from '../http/rpc-routes.ts'
import type { WebSocketDependencies } from './dependencies.ts'

/** What all messages of a session have in common. */
export interface MessageOwner {
  readonly dependencies: WebSocketDependencies
  /** For the messages of all sessions. */
  readonly services: RequestServices
  /** Of the handshake. */
  readonly requestId: string
  readonly endpoint: RpcEndpoint
}

const messages: RequestKind = {
  protocol: 'evm',
  traceAttributes: { 'rpc.system': 'jsonrpc' },
  failure: rejectedCall,
}

/** A message under way: what ends its calls, and what they share. */
export class SessionMessage implements Expirable, MessageContext {
  readonly context: RequestContext
  readonly grant: Grant
  readonly endpoint: RpcEndpoint
  readonly admission: Admission
  readonly subscriptions: ClientSubscriptions
  readonly maxLogRange: number
  readonly answers: ResponseCaches | undefined
  readonly #dependencies: WebSocketDependencies
  #upstream: Upstream | undefined

  constructor(
    { dependencies, services, requestId, endpoint }: MessageOwner,
    grant: Grant,
    subscriptions: ClientSubscriptions,
  ) {
    this.context = new RequestContext(services, messages, requestId)
    this.context.grant = grant
    this.grant = grant
    this.endpoint = endpoint
    this.admission = dependencies.admission
    this.subscriptions = subscriptions
    this.maxLogRange = sizeLimit(grant, 'maxLogRange', dependencies.maxLogRange)
    this.answers = dependencies.answers
    this.#dependencies = dependencies
  }

  get signal(): CancellationSignal {
    return this.context
  }

  // Most messages have nothing to say.
  get log(): Logger {
    return this.context.log
  }

  /** @throws {@link RpcError} with status 503 when the node has none that can be used */
  get upstream(): Upstream {
    this.#upstream ??= this.#dependencies.upstreams.of(this.grant, 'evm')
    return this.#upstream
  }

  /** Gives up what the node has not answered in time. */
  end(): void {
    this.context.abort(new DOMException('Too late.', 'TimeoutError'))
  }
}
