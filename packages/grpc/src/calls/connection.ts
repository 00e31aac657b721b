import { FairleadError, longestMs, nodeAddress, requireNumber, type XTokenCredential } from '@fairlead/core'
import type { Metadata, Transport } from '@fairlead/grpc-transport/wire'
import type { GrpcCallOptions } from './types.ts'

/** Options of every client, for any transport. */
export interface GrpcSettings {
  /** Token that is sent as the metadata entry `x-token`; omit it if the node requires none. */
  readonly auth?: XTokenCredential | undefined
  /** Timeout of a unary call in milliseconds, including retries. Default 30000. Streams have none. */
  readonly timeoutMs?: number | undefined
  /** Maximum number of retries of a unary call while the node is unavailable. Default 2. */
  readonly retries?: number | undefined
}

/** An existing transport, which several clients can share; closing a client leaves it open. */
export interface SharedTransport {
  readonly transport: Transport
}

/** The transport of a client and the settings of its calls. */
export interface Connection {
  readonly transport: Transport
  /** Metadata entries of every call. */
  readonly metadata: Metadata
  /** Texts that must not appear in an error. */
  readonly secrets: readonly string[]
  readonly timeoutMs: number
  readonly retries: number
  close(): Promise<void>
}

/**
 * Validates the options of a client and opens its transport, or uses the given one.
 *
 * @param open - creates a transport to an http or https URL
 * @throws FairleadError `CONFIG_INVALID`
 */
export function createConnection(
  options: GrpcSettings & ({ readonly url: string } | SharedTransport),
  open: (url: URL) => Transport,
): Connection {
  const { auth, timeoutMs = 30_000, retries = 2 } = options
  requireNumber('timeoutMs', timeoutMs, 1, longestMs)
  requireNumber('retries', retries, 0)
  // The token is validated, and its secrets are listed, as part of a URL.
  const url = 'url' in options ? options.url : 'https://shared.invalid'
  const token = auth && nodeAddress('grpc', url, auth)
  if (token) requireMetadataText(token.headers)
  const shared = 'transport' in options ? options.transport : undefined
  const transport = shared ?? open(parseUrl(url))
  return {
    transport,
    metadata: token?.headers ?? {},
    secrets: token?.secrets ?? [],
    timeoutMs,
    retries,
    close: async () => {
      if (!shared) await transport.close()
    },
  }
}

/**
 * Merges the metadata of one call with that of its client.
 *
 * @throws FairleadError `CONFIG_INVALID` when an entry would replace one of the client
 */
export function callMetadata({ metadata }: Connection, { metadata: added }: GrpcCallOptions): Metadata {
  if (!added) return metadata
  for (const name of Object.keys(added)) {
    if (name.toLowerCase() !== 'x-token') continue
    throw new FairleadError('CONFIG_INVALID', { option: 'metadata.x-token', rule: 'must be given as auth' })
  }
  return { ...added, ...metadata }
}

/**
 * Validates the timeout of one call.
 *
 * @throws FairleadError `CONFIG_INVALID`
 */
export function requireTimeout(timeoutMs: number | undefined): void {
  if (timeoutMs !== undefined) requireNumber('timeoutMs', timeoutMs, 1, longestMs)
}

// The URL is validated with a placeholder token if the node requires none.
function parseUrl(url: string): URL {
  nodeAddress('grpc', url, { kind: 'x-token', token: 'none' })
  const address = new URL(url)
  address.protocol = address.protocol.replace('ws', 'http')
  return address
}

function requireMetadataText(headers: Readonly<Record<string, string>>): void {
  // A transport would reject other characters too, possibly with the token in its message.
  if (Object.values(headers).every((value) => /^[\x21-\x7e]+$/.test(value))) return
  throw new FairleadError('CONFIG_INVALID', {
    option: 'auth.token',
    rule: 'must be printable ASCII without spaces',
  })
}
