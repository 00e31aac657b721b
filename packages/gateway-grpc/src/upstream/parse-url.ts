import { decodeLeniently } from '@fairlead/gateway-core/uri'

/** URL of a gRPC upstream, and the metadata that is sent on every call. */
export interface UpstreamUrl {
  /** `https://host[:port]`, or `http://host[:port]` without TLS. */
  readonly url: string
  /** The metadata entry that authenticates the gateway at the upstream, if there is one. */
  readonly metadata: Readonly<Record<string, string>>
  /** Strings to remove from what the upstream sends. */
  readonly secrets: readonly string[]
}

// The protocol itself sets these entries, so a URL must not set them.
const reservedNames = /^(?:grpc-.*|content-type|content-length|te|host|connection|user-agent|.*-bin)$/
const nameForm = /^[a-z0-9_.-]+$/
const valueForm = /^[!-~](?:[ -~]*[!-~])?$/

/**
 * Parses the URL of a gRPC upstream: `https://host:port`, or `https://x-token:SECRET@host:port` where the upstream
 * requires metadata. The user name is the name of the entry, and the percent-encoded password is its value.
 *
 * @returns undefined when the text is not such a URL
 * @example
 * ```ts
 * parseUpstreamUrl('https://x-token:s3cr3t@node.example')
 * ```
 */
export function parseUpstreamUrl(text: string): UpstreamUrl | undefined {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.host === '') return undefined
  if (url.pathname !== '/' || text.includes('?') || text.includes('#')) return undefined
  const { origin, host, hostname, username: name } = url
  const value = decodeLeniently(url.password)
  const location = [origin, host, hostname].filter((part) => part.length > 3)
  const secrets = value === '' ? location : [...location, value]
  if (name === '' && value === '') return { url: origin, metadata: {}, secrets }
  if (!nameForm.test(name) || reservedNames.test(name) || !valueForm.test(value)) return undefined
  return { url: origin, metadata: { [name]: value }, secrets }
}
