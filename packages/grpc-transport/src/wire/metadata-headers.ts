import { GrpcError } from './grpc-error.ts'
import type { Metadata, MetadataValue } from './metadata.ts'
import { Status } from './status.ts'

/** HTTP headers as every runtime represents them: by lower-case name, several values in a list or joined by commas. */
export type HeaderFields = Readonly<Record<string, string | readonly string[] | undefined>>

// Headers of the protocol itself: neither metadata to send nor received metadata.
const protocolNames = new Set([
  'connection',
  'content-length',
  'content-type',
  'grpc-accept-encoding',
  'grpc-encoding',
  'grpc-message',
  'grpc-status',
  'grpc-timeout',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

// Headers with a single value in HTTP; Node.js sends no more than one.
const singleNames = new Set([
  'access-control-allow-credentials',
  'access-control-max-age',
  'access-control-request-method',
  'age',
  'authorization',
  'content-encoding',
  'content-language',
  'content-location',
  'content-md5',
  'content-range',
  'date',
  'dnt',
  'etag',
  'expires',
  'from',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'last-modified',
  'location',
  'max-forwards',
  'proxy-authorization',
  'range',
  'referer',
  'retry-after',
  'tk',
  'upgrade-insecure-requests',
  'user-agent',
  'x-content-type-options',
])

/**
 * Converts metadata to headers: text unchanged, bytes in base64 without padding.
 *
 * @param metadata - entries by lower-case name; text is printable ASCII without spaces at its ends
 * @returns headers, a list when an entry has several values
 * @throws GrpcError INVALID_ARGUMENT for an entry that cannot be sent; it names the entry, never the value
 * @example
 * ```ts
 * metadataToHeaders({ 'x-token': 't0k3n', 'trace-bin': Uint8Array.of(1, 2) }) // { 'x-token': 't0k3n', 'trace-bin': 'AQI' }
 * ```
 * @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md, Custom-Metadata
 */
export function metadataToHeaders(metadata: Metadata): Record<string, string | string[]> {
  const headers = Object.entries(metadata).map(([name, value]) => {
    if (!/^[\da-z_.-]+$/.test(name)) refuse(name, 'must have a name of a-z, 0-9, "_", "-" and "."')
    if (protocolNames.has(name)) refuse(name, 'is written by the transport')
    if (isList(value) && value.length > 1 && singleNames.has(name)) refuse(name, 'may have one value only')
    return [name, isList(value) ? value.map((item) => headerOf(name, item)) : headerOf(name, value)] as const
  })
  return Object.fromEntries(headers)
}

/**
 * Extracts metadata from headers, without the headers of HTTP and of gRPC itself.
 *
 * @param headers - received headers or trailers
 * @returns entries by name; those that end in `-bin` as bytes, omitted when they are not base64
 * @example
 * ```ts
 * headersToMetadata({ ':status': '200', 'trace-bin': 'AQI=' }) // { 'trace-bin': Uint8Array.of(1, 2) }
 * ```
 * @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md, Custom-Metadata
 */
export function headersToMetadata(headers: HeaderFields): Metadata {
  const metadata: [string, Metadata[string]][] = []
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name.startsWith(':') || protocolNames.has(name)) continue
    const texts = typeof value === 'string' ? [value] : value
    const values = name.endsWith('-bin')
      ? texts.flatMap((text) => text.split(',')).flatMap((text) => bytesOf(text.trim()))
      : texts
    const [first] = values
    if (first !== undefined) metadata.push([name, values.length === 1 ? first : values])
  }
  return Object.fromEntries(metadata)
}

function headerOf(name: string, value: MetadataValue): string {
  if (name.endsWith('-bin')) {
    if (typeof value === 'string') refuse(name, 'must have bytes as its value, as the name ends in "-bin"')
    return base64Of(value)
  }
  if (typeof value !== 'string') refuse(name, 'must have text as its value: a name for bytes ends in "-bin"')
  if (!/^(?:[!-~](?:[ -~]*[!-~])?)?$/.test(value)) {
    refuse(name, 'must be printable ASCII without spaces at its ends')
  }
  return value
}

function refuse(name: string, rule: string): never {
  throw new GrpcError(Status.INVALID_ARGUMENT, `metadata entry ${JSON.stringify(name)} ${rule}`)
}

function isList(value: Metadata[string]): value is readonly MetadataValue[] {
  return Array.isArray(value)
}

function base64Of(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text).replace(/=+$/, '')
}

function bytesOf(base64: string): Uint8Array[] {
  try {
    return [Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))]
  } catch {
    return []
  }
}
