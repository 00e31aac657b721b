import {
  type BasicCredential,
  createRestFetch,
  type HttpOptions,
  longestMs,
  type NodeAddress,
  nodeAddress,
  requireNumber,
  type TokenCredential,
} from '@fairlead/core'

/** URL and credential of a beacon node. */
export interface BeaconNodeOptions {
  /** URL of the node without credentials, for example `https://node.example.com`. */
  readonly url: string
  /** Token (sent after `/beacon/`) or user name and password (sent as HTTP basic authentication). */
  readonly auth: TokenCredential | BasicCredential
}

/** One beacon node as a request target. It contains the credential: never log it. */
export interface Node {
  readonly address: NodeAddress
  readonly http: HttpOptions
  /** Texts that must never be logged: the secrets of all nodes of a client. */
  readonly secrets: readonly string[]
  /** Called when the connection breaks in the middle of a response. */
  readonly onBroken?: (() => void) | undefined
}

/**
 * Sends a request to one node. Resolves to a response of any status; rejects with FairleadError `TRANSPORT_*` when
 * there is no response.
 */
export type Attempt = (node: Node, request: Request) => Promise<Response>

/** Reads the body as part of the attempt, within its timeout. */
export const sendBuffered: Attempt = ({ http, secrets }, request) => createRestFetch(http, secrets)(request)

/** Placeholder for the URL of the selected node. Code that builds or inspects a request sees no credential. */
export const anyNode = 'http://node.invalid'

/** The path of a request whose URL begins with {@link anyNode}, with its query. */
export const pathOf = (request: Request): string => request.url.slice(anyNode.length)

/** Creates the request for one node. */
export function requestTo({ address }: Node, request: Request, body: BodyInit | undefined): Request {
  const { method, signal } = request
  const headers = { ...Object.fromEntries(request.headers), ...address.headers }
  return new Request(address.url + pathOf(request), { method, headers, signal, ...(body && { body }) })
}

/** Reads the body of a request. A body can be read only once, and a request for another URL cannot reuse it unread. */
export async function bodyOf(request: Request): Promise<ArrayBuffer | undefined> {
  return /GET|HEAD/.test(request.method) ? undefined : request.arrayBuffer()
}

/**
 * Creates a node.
 *
 * @throws FairleadError `CONFIG_INVALID` naming the option
 */
export function createNode({ url, auth }: BeaconNodeOptions, http: HttpOptions): Node {
  const { timeoutMs = 30_000, retries = 2 } = http
  requireNumber('timeoutMs', timeoutMs, 0, longestMs)
  requireNumber('retries', retries, 0)
  const address = nodeAddress('beacon', url, auth)
  // Some runtimes require whole milliseconds for the timeout of an attempt.
  return { address, http: { ...http, timeoutMs: Math.ceil(timeoutMs), retries }, secrets: address.secrets }
}
