import { createHttpTransport, createRestFetch, type HttpOptions, nodeAddress, redact } from '@fairlead/core'
import { withErrorMessage } from './error-body.ts'
import type { JettonNodeOptions } from './node.ts'
import { operationOf } from './operation.ts'
import { isRead } from './read-operations.ts'

/**
 * Sends a request. Resolves to a response of any status; rejects with FairleadError `TRANSPORT_*` when there is no
 * response.
 */
export type Send = (request: Request) => Promise<Response>

/** Sends the requests of one or several clients to a node. It may contain a credential: never log it. */
export interface JettonTransport {
  /** Prefix of the URLs of its requests. */
  readonly baseUrl: string
  /** Headers that its requests require. */
  readonly headers: Readonly<Record<string, string>>
  readonly send: Send
}

/** Creates a transport that sends requests to one node, and retries reads. */
export function singleNode({ url, auth, ...options }: JettonNodeOptions & HttpOptions): JettonTransport {
  const { url: baseUrl, headers, secrets } = nodeAddress('jetton', url, auth)
  const sendWithRetries = createHttpTransport(withErrorMessage(options), secrets)

  const send = async (request: Request): Promise<Response> => {
    const { method, headers: requestHeaders, signal, url: target } = request
    const body = (await request.clone().text()) || null
    const call = {
      operation: redact(`${method} ${new URL(target).pathname}`, secrets),
      url: target,
      init: { method, headers: requestHeaders, body },
      idempotent: isRead(operationOf(target, body)),
      signal,
    }
    const response = await sendWithRetries(
      call,
      async (received) => new Response(received.body && (await received.arrayBuffer()), received),
    )
    // `createRestFetch` would send a POST only once. It is used here only to register the response for `unwrap`.
    return createRestFetch({ fetch: () => Promise.resolve(response), retries: 0 }, secrets)(request)
  }
  return { baseUrl, headers, send }
}
