import { basicAuthorization, type NodeCredential, secretsOf } from './credential.ts'
import { FairleadError } from './error.ts'

/** A protocol of a node. Each protocol has its own place for the token. */
export type NodeProtocol = 'evm' | 'websocket' | 'beacon' | 'jetton' | 'grpc'

/** The URL of a call and the credential to send with it. */
export interface NodeAddress {
  /** URL without a trailing slash; for gRPC `host:port`. It may contain the token: never log it. */
  readonly url: string
  /** Headers or gRPC metadata that carry the credential. */
  readonly headers: Readonly<Record<string, string>>
  /** Texts that {@link redact} must remove from any message about this call. */
  readonly secrets: readonly string[]
}

/**
 * Builds the URL of a node for one protocol. This is the only function that puts a credential into a URL.
 *
 * | protocol | token | basic |
 * | --- | --- | --- |
 * | `evm` | `{node_url}/<token>`, with `path` `{node_url}/<token>/<path>` | `{node_url}`, `{node_url}/<path>` |
 * | `websocket` | `wss://{node_host}/ws/<token>` | `wss://{node_host}/ws` |
 * | `beacon` | `{node_url}/beacon/<token>` | `{node_url}/beacon` |
 * | `jetton` | `{node_url}/<token>` | `{node_url}` |
 * | `grpc` | | `host:443`, metadata `x-token` |
 *
 * @param protocol - protocol of the call
 * @param nodeUrl - URL of the node without credentials, for example `https://node.example.com`
 * @param credential - token, user name with password, or x-token (gRPC only)
 * @param path - path that the chain requires after the token, for example `evm`
 * @returns URL, headers and the secrets that they contain
 * @throws {@link FairleadError} `CONFIG_INVALID` when the URL is invalid or the credential does not fit the protocol
 * @example
 * ```ts
 * nodeAddress('evm', 'https://node.example.com', { kind: 'token', token: 't0k3n' }, 'evm').url
 * // 'https://node.example.com/t0k3n/evm'
 * ```
 */
export function nodeAddress(
  protocol: NodeProtocol,
  nodeUrl: string,
  credential: NodeCredential,
  path?: string,
): NodeAddress {
  const base = parseNodeUrl(nodeUrl)
  if ((protocol === 'grpc') !== (credential.kind === 'x-token')) {
    const rule = `cannot be ${credential.kind} for ${protocol}`
    throw new FairleadError('CONFIG_INVALID', { option: 'auth.kind', rule })
  }
  const plain = secretsOf(credential)
  for (const secret of plain) requireSecret(secret)
  // Includes the JSON-escaped forms. The longest comes first, because one secret can be part of another.
  const secrets = plain
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    .toSorted((a, b) => b.length - a.length)
  if (credential.kind === 'x-token') {
    const port = base.port || (base.protocol === 'http:' ? '80' : '443')
    return { url: `${base.hostname}:${port}`, headers: { 'x-token': credential.token }, secrets }
  }
  if (protocol === 'websocket') base.protocol = base.protocol.replace('http', 'ws')
  const segments = [
    protocol === 'websocket' ? 'ws' : protocol === 'beacon' ? 'beacon' : '',
    credential.kind === 'token' ? encodeURIComponent(credential.token) : '',
    path ?? '',
  ].filter(Boolean)
  return {
    url: [base.href.replace(/\/+$/, ''), ...segments].join('/'),
    headers: credential.kind === 'basic' ? { authorization: basicAuthorization(credential) } : {},
    secrets,
  }
}

function requireSecret(secret: string): void {
  if (typeof secret === 'string' && secret !== '') return
  throw new FairleadError('CONFIG_INVALID', { option: 'auth', rule: 'must hold a non-empty secret' })
}

// The URL itself is never part of a message, because users paste URLs that contain a token.
function parseNodeUrl(nodeUrl: string): URL {
  const invalid = (rule: string) => new FairleadError('CONFIG_INVALID', { option: 'url', rule })
  const url = URL.canParse(nodeUrl) ? new URL(nodeUrl) : undefined
  if (!url || !/^(http|ws)s?:$/.test(url.protocol)) throw invalid('must be an absolute http or https URL')
  if (url.username || url.password) throw invalid('must not hold credentials; pass them as auth')
  if (url.search || url.hash) throw invalid('must not hold a query or a fragment')
  url.protocol = url.protocol.replace('ws', 'http')
  return url
}
