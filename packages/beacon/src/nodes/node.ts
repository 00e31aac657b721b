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

/** Where a node is and what opens it. */
export interface BeaconNodeOptions {
  /** Address of the node without credentials, for example `https://node.example.com`. */
  readonly url: string
  /** Token (sent after `/beacon/`) or user name and password (sent as HTTP basic authentication). */
  readonly auth: TokenCredential | BasicCredential
}

/** One node, as whatever sends to it sees it. It holds the credential: it is never shown. */
export interface Node {
  readonly address: NodeAddress
  readonly http: HttpOptions
  /** What must never be shown: that of all nodes of a client. */
  readonly secrets: readonly string[]
  /** Called when the node breaks off in the middle of an answer. */
  readonly onBroken?: (() => void) | undefined
}

/** Sends a request to one node. The answer has any status; a lost one is a FairleadError `TRANSPORT_*`. */
export type Attempt = (node: Node, request: Request) => Promise<Response>

/** Reads the body inside of the attempt, within its limit of time. */
export const sendWhole: Attempt = ({ http, secrets }, request) => createRestFetch(http, secrets)(request)

/** Stands for the address of whichever node is asked: what builds or looks at a request sees no credential. */
export const anyNode = 'http://node.invalid'

/** The path of a request whose URL begins with {@link anyNode}, with its query. */
export const pathOf = (request: Request): string => request.url.slice(anyNode.length)

/** Makes the request that one node gets. */
export function requestTo({ address }: Node, request: Request, body: BodyInit | undefined): Request {
  const { method, signal } = request
  const headers = { ...Object.fromEntries(request.headers), ...address.headers }
  return new Request(address.url + pathOf(request), { method, headers, signal, ...(body && { body }) })
}

/** The body of a request: it can be read once only, and a request for another address cannot take it over unread. */
export async function bodyOf(request: Request): Promise<ArrayBuffer | undefined> {
  return /GET|HEAD/.test(request.method) ? undefined : request.arrayBuffer()
}

/**
 * Makes a node.
 *
 * @throws FairleadError `CONFIG_INVALID` naming the option
 */
export function createNode({ url, auth }: BeaconNodeOptions, http: HttpOptions): Node {
  const { timeoutMs = 30_000, retries = 2 } = http
  requireNumber('timeoutMs', timeoutMs, 0, longestMs)
  requireNumber('retries', retries, 0)
  const address = nodeAddress('beacon', url, auth)
  // The limit of an attempt must be whole milliseconds in some runtimes.
  return { address, http: { ...http, timeoutMs: Math.ceil(timeoutMs), retries }, secrets: address.secrets }
}
