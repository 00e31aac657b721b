import type { HttpOptions } from '@fairlead/core'
import { type Attempt, type BeaconNodeOptions, bodyOf, createNode, requestTo, sendBuffered } from './node.ts'

/** Sends the requests of a client to a beacon node. */
export interface BeaconTransport {
  /**
   * Sends a request.
   *
   * @param request - its URL begins with a placeholder for the URL of the node
   * @param attempt - how to send it to one node; default: the body of the response is read completely
   * @returns the response, of any status
   * @throws FairleadError `TRANSPORT_TIMEOUT` or `TRANSPORT_FAILED` of the last attempt; the reason of the signal
   */
  fetch(request: Request, attempt?: Attempt): Promise<Response>
}

/** Creates a transport that sends requests to one node. */
export function singleNode(options: BeaconNodeOptions & HttpOptions): BeaconTransport {
  const { fetch, timeoutMs, retries } = options
  const node = createNode(options, { fetch, timeoutMs, retries })
  return {
    fetch: async (request, attempt = sendBuffered) =>
      attempt(node, requestTo(node, request, await bodyOf(request))),
  }
}
