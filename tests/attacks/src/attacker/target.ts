/** What an attack may know: the ports of a gateway, and the secrets of one organization. */
export interface AttackTarget {
  /** Port on 127.0.0.1. */
  readonly port: number
  readonly isSecure: boolean
  /** Host header of requests, and the server name in a TLS handshake. */
  readonly authority: string
  /** The same for gRPC, which a proxy serves under another name. */
  readonly grpcAuthority: string
  /** Tokens of one node. */
  readonly tokens: readonly string[]
  /** x-tokens of the same node. */
  readonly xTokens: readonly string[]
  /** API key of the owner. */
  readonly apiKey: string
  /** Path of the largest file of the console. */
  readonly consoleFile: string
}
