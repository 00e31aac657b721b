import { decodeLeniently } from '@fairlead/gateway-core/uri'

/** Where a gRPC node is, and what it is told on every call. */
export interface UpstreamUrl {
  /** `https://host[:port]`, or `http://host[:port]` without TLS. */
  readonly url: string
  /** The entry of metadata that opens the node, or nothing. */
  readonly metadata: Readonly<Record<string, string>>
  /** Texts to take out of what the node says. */
  readonly secrets: readonly string[]
}

// What the protocol itself says in these is not for an address to say.
const ownNames = /^(?:grpc-.*|content-type|content-length|te|host|connection|user-agent|.*-bin)$/
const nameForm = /^[a-z0-9_.-]+$/
const valueForm = /^[!-~](?:[ -~]*[!-~])?$/

/**
 * Reads the address of a gRPC node: `https://host:port`, or `https://x-token:SECRET@host:port` where the node asks for
 * metadata. The user name is the name of the entry and the password, percent-encoded, its value.
 *
 * @returns undefined when the text is no such address
 * @example
 * ```ts
 * parseGrpcAddress('https://x-token:s3cr3t@node.example')
 * ```
 */
export function parseUpstreamUrl(text: string): UpstreamUrl | undefined {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.host === '') return undefined
  if (url.pathname !== '/' || text.includes('?') || text.includes('#')) return undefined
  const { origin, host, hostname, username: name } = url
  const value = decodeLeniently(url.password)
  const secrets = [origin, host, hostname, value].filter((secret) => secret.length > 3)
  if (name === '' && value === '') return { url: origin, metadata: {}, secrets }
  if (!nameForm.test(name) || ownNames.test(name) || !valueForm.test(value)) return undefined
  return { url: origin, metadata: { [name]: value }, secrets }
}
