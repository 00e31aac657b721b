import type { CancellationSignal } from '@fairlead/http1'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import type {
  BufferedResponse,
  RestCall,
  RestUpstream,
  StreamedResponse,
} from '@fairlead/gateway-core/rest/rest-call'

/** A call of a client that was found to follow the contract. */
export interface BeaconCall extends RestCall {
  /** Operation of the contract, or of an earlier release of it. */
  readonly operationId: string
  /** Media types of the operation that the client takes, best first; empty when the answer has no body. */
  readonly acceptable: readonly string[]
}

/** All beacon nodes behind one hosted node. */
export interface BeaconNodes {
  /**
   * Sends a call to the best node, and a repeatable one to the next when that may help; answers from the cache where the
   * answer can never change.
   *
   * @throws RestError as {@link RestUpstream.request}, of the last node that was tried
   */
  forward(call: BeaconCall): Promise<StreamedResponse | BufferedResponse>
  /** The nodes, best first. */
  ranked(): Promise<readonly RestUpstream[]>
}

/** The beacon nodes behind all hosted nodes, connected to when first needed. */
export interface BeaconUpstreams {
  /** @throws RestError with status 503 when the hosted node has no usable upstream for this protocol */
  of(grant: Grant): BeaconNodes
  /** Asks the embedded chain, when there is one, for its state; rejects when it does not answer. */
  embeddedAnswer(signal: CancellationSignal): Promise<void>
  close(): Promise<void>
}
