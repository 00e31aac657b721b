import { FairleadError, longestMs, nodeAddress, requireNumber, type XTokenCredential } from '@fairlead/core'
import type { Metadata, Transport } from '@fairlead/grpc-transport/wire'
import type { GrpcCallOptions } from './types.ts'

/** What clients have in common, whatever carries their calls. */
export interface GrpcSettings {
  /** Token that is sent as the metadata entry `x-token`; left out where the node wants none. */
  readonly auth?: XTokenCredential | undefined
  /** Limit of a unary call in milliseconds, further attempts included. Default 30000. Streams have none. */
  readonly timeoutMs?: number | undefined
  /** How often a unary call is sent again while the node is unavailable. Default 2. */
  readonly retries?: number | undefined
}

/** A transport that is there already; several clients may share it, and closing them leaves it open. */
export interface SharedTransport {
  readonly transport: Transport
}

/** How the calls of a client reach the node. */
export interface Connection {
  readonly transport: Transport
  /** Entries that every call sends. */
  readonly metadata: Metadata
  /** What must not reach an error. */
  readonly secrets: readonly string[]
  readonly timeoutMs: number
  readonly retries: number
  close(): Promise<void>
}

/**
 * Checks the options of a client and opens its transport, or takes the one that is there.
 *
 * @param open - makes a transport to an http or https address
 * @throws FairleadError `CONFIG_INVALID`
 */
export function createConnection(
  options: GrpcSettings & ({ readonly url: string } | SharedTransport),
  open: (url: URL) => Transport,
): Connection {
  const { auth, timeoutMs = 30_000, retries = 2 } = options
  requireNumber('timeoutMs', timeoutMs, 1, longestMs)
  requireNumber('retries', retries, 0)
  // A token is checked, and its secrets are listed, as part of an address.
  const url = 'url' in options ? options.url : 'https://shared.invalid'
  const token = auth && nodeAddress('grpc', url, auth)
  if (token) requireMetadataText(token.headers)
  const shared = 'transport' in options ? options.transport : undefined
  const transport = shared ?? open(parsed(url))
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
 * Adds the entries of one call to those of its client.
 *
 * @throws FairleadError `CONFIG_INVALID` when an entry would replace one of the client
 */
export function callMetadata({ metadata }: Connection, { metadata: own }: GrpcCallOptions): Metadata {
  if (!own) return metadata
  for (const name of Object.keys(own)) {
    if (name.toLowerCase() !== 'x-token') continue
    throw new FairleadError('CONFIG_INVALID', { option: 'metadata.x-token', rule: 'must be given as auth' })
  }
  return { ...own, ...metadata }
}

/**
 * Checks the limit of one call.
 *
 * @throws FairleadError `CONFIG_INVALID`
 */
export function requireTimeout(timeoutMs: number | undefined): void {
  if (timeoutMs !== undefined) requireNumber('timeoutMs', timeoutMs, 1, longestMs)
}

// The address is checked with a token of its own where the node wants none.
function parsed(url: string): URL {
  nodeAddress('grpc', url, { kind: 'x-token', token: 'none' })
  const address = new URL(url)
  address.protocol = address.protocol.replace('ws', 'http')
  return address
}

function requireMetadataText(headers: Readonly<Record<string, string>>): void {
  // A transport would refuse other characters as well, perhaps with the token in its message.
  if (Object.values(headers).every((value) => /^[\x21-\x7e]+$/.test(value))) return
  throw new FairleadError('CONFIG_INVALID', {
    option: 'auth.token',
    rule: 'must be printable ASCII without spaces',
  })
}
