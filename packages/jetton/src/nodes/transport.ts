import { createHttpTransport, createRestFetch, type HttpOptions, nodeAddress, redact } from '@fairlead/core'
import { withErrorWords } from './error-body.ts'
import type { JettonNodeOptions } from './node.ts'
import { operationOf } from './operation.ts'
import { isRead } from './sendable-again.ts'

/** Sends a request. The answer has any status; a lost one is a FairleadError `TRANSPORT_*`. */
export type Send = (request: Request) => Promise<Response>

/** Carries the requests of one client or of several to a node. It may hold a credential: it is never shown. */
export interface JettonTransport {
  /** What the URLs of its requests begin with. */
  readonly baseUrl: string
  /** Headers that its requests need. */
  readonly headers: Readonly<Record<string, string>>
  readonly send: Send
}

/** Carries requests to one node, those that only read more than once. */
export function singleNode({ url, auth, ...options }: JettonNodeOptions & HttpOptions): JettonTransport {
  const { url: baseUrl, headers, secrets } = nodeAddress('jetton', url, auth)
  const attempts = createHttpTransport(withErrorWords(options), secrets)

  const send = async (request: Request): Promise<Response> => {
    const { method, headers: own, signal, url: target } = request
    const body = (await request.clone().text()) || null
    const call = {
      operation: redact(`${method} ${new URL(target).pathname}`, secrets),
      url: target,
      init: { method, headers: own, body },
      idempotent: isRead(operationOf(target, body)),
      signal,
    }
    const answer = await attempts(
      call,
      async (one) => new Response(one.body && (await one.arrayBuffer()), one),
    )
    // That function would send a POST once only; of it remains that the answer is known to `unwrap`.
    return createRestFetch({ fetch: () => Promise.resolve(answer), retries: 0 }, secrets)(request)
  }
  return { baseUrl, headers, send }
}
