import type { Logger } from 'pino'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import type { TickBudget } from '@fairlead/gateway-core/admission/tick-budget'
import type { Admission } from '@fairlead/gateway-core/admission/types'
import { sizeLimit } from '@fairlead/gateway-core/admission/request-limits'
import {
  RequestContext,
  type RequestKind,
  type RequestServices,
} from '@fairlead/gateway-core/http/request-context'
import type { CancellationSignal } from '@fairlead/runtime'
import type { ResolvedCall } from '../methods/resolve-method.ts'
import { rejectedCall } from '../rejected-call.ts'
import type { ClientSubscriptions } from '../subscriptions/client-subscriptions.ts'
import type { Upstream } from '../upstream/types.ts'
import type { MessageContext } from './handle-message.ts'
import type { Expirable } from '@fairlead/gateway-core/http/deadlines'
import type { RpcEndpoint } from '../http/rpc-routes.ts'
import type { WebSocketDependencies } from './dependencies.ts'

/** Properties that all messages of a session share. */
export interface MessageOwner {
  readonly dependencies: WebSocketDependencies
  /** Shared by the messages of all sessions. */
  readonly services: RequestServices
  /** Request id of the handshake. */
  readonly requestId: string
  readonly endpoint: RpcEndpoint
}

const messages: RequestKind = {
  protocol: 'evm',
  traceAttributes: { 'rpc.system': 'jsonrpc' },
  failure: rejectedCall,
}

/** A message that is being processed, and the context that its calls share. Cancels the calls on a timeout. */
export class SessionMessage implements Expirable, MessageContext {
  readonly context: RequestContext
  readonly grant: Grant
  readonly endpoint: RpcEndpoint
  readonly admission: Admission
  readonly budget: TickBudget
  readonly subscriptions: ClientSubscriptions
  readonly maxLogRange: number
  readonly caches: ResolvedCall['caches']
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
    this.budget = dependencies.budget
    this.subscriptions = subscriptions
    this.maxLogRange = sizeLimit(grant, 'maxLogRange', dependencies.maxLogRange)
    this.caches = dependencies.caches
    this.#dependencies = dependencies
  }

  get signal(): CancellationSignal {
    return this.context
  }

  // The logger is created lazily, because most messages do not log.
  get log(): Logger {
    return this.context.log
  }

  /** @throws {@link RpcError} with status 503 when the node has no usable upstream */
  get upstream(): Upstream {
    this.#upstream ??= this.#dependencies.upstreams.forCall(this.grant)
    return this.#upstream
  }

  /** Aborts calls to which the upstream has not responded before the timeout. */
  end(): void {
    this.context.abort(new DOMException('The call timed out.', 'TimeoutError'))
  }
}
