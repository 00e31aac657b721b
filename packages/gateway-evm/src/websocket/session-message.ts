import type { Logger } from 'pino'
import type { NodeGrant } from '@fairlead/gateway-core/grants/grant'
import type { Admission } from '@fairlead/gateway-core/admission/types'
import { sizeLimit } from '@fairlead/gateway-core/admission/request-limits'
import { Cancellation, type CancellationSignal } from '@fairlead/http1'
import type { Answers } from '../cache/caches.ts'
import type { ClientSubscriptions } from '../subscriptions/client-subscriptions.ts'
import type { Upstream } from '../upstream/types.ts'
import type { MessageContext } from './handle-message.ts'
import type { Timed } from '@fairlead/gateway-core/http/deadlines'
import type { NodePath } from '../http/node-path.ts'
import type { WebSocketPlane } from './dependencies.ts'

/** What all messages of a session have in common. */
export interface MessageOwner {
  readonly plane: WebSocketPlane
  readonly endpoint: NodePath['endpoint']
  readonly log: Logger
}

/** A message under way: what ends its calls, and what they share. */
export class SessionMessage extends Cancellation implements Timed, MessageContext {
  readonly grant: NodeGrant
  readonly endpoint: NodePath['endpoint']
  readonly admission: Admission
  readonly subscriptions: ClientSubscriptions
  readonly maxLogRange: number
  readonly answers: Answers | undefined
  readonly log: Logger
  readonly #plane: WebSocketPlane
  #upstream: Upstream | undefined

  constructor({ plane, endpoint, log }: MessageOwner, grant: NodeGrant, subscriptions: ClientSubscriptions) {
    super()
    this.grant = grant
    this.endpoint = endpoint
    this.admission = plane.admission
    this.subscriptions = subscriptions
    this.maxLogRange = sizeLimit(grant, 'maxLogRange', plane.maxLogRange)
    this.answers = plane.answers
    this.log = log
    this.#plane = plane
  }

  get signal(): CancellationSignal {
    return this
  }

  /** @throws {@link RpcFailure} with status 503 when the node has none that can be used */
  get upstream(): Upstream {
    this.#upstream ??= this.#plane.upstreams.of(this.grant, 'evm')
    return this.#upstream
  }

  /** Gives up what the node has not answered in time. */
  end(): void {
    this.abort(new DOMException('Too late.', 'TimeoutError'))
  }
}
