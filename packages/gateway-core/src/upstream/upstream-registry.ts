import { createHmac, randomBytes } from 'node:crypto'
import { createLruCache } from '@fairlead/runtime'
import type { UpstreamRecord } from '../grants/parse-upstreams.ts'
import { type Connection, Upstream } from './upstream.ts'

/**
 * Returns a keyed fingerprint of a text in a context. It is the same in every process and replica, and does not reveal
 * the text.
 */
export type Fingerprint = (text: string, context: string) => string

/** Connections that can be closed. */
export interface ClosableConnection extends Connection {
  close(): Promise<void>
}

/** Options of {@link UpstreamRegistry}. */
export interface UpstreamRegistryOptions<connection extends ClosableConnection> {
  /** Name of the field in records, for example `evm`. */
  readonly field: string
  /**
   * Opens the connections to an upstream. Records with the same URL, TLS, JWT and batch size share them. Network rules
   * depend on the URL.
   *
   * @throws when the upstream cannot be opened
   */
  open(record: UpstreamRecord): connection
  /** Generates the ids; when omitted, they are unique to this process. */
  readonly fingerprint?: Fingerprint | undefined
}

// Changed records of nodes are not reported, so the number is limited.
const maxEntries = 20_000
const idLength = 8

/** The upstreams of one field of all nodes, each opened on first use. Nodes with the same upstream share it. */
export class UpstreamRegistry<connection extends ClosableConnection> {
  readonly #options: UpstreamRegistryOptions<connection>
  readonly #fingerprint: Fingerprint
  // The least recently used upstream is dropped; its connections close when they are idle.
  readonly #upstreams = createLruCache<Upstream<connection>>({ maxEntries })
  // Upstreams that differ only in their rate limit share connections, so that streams outlive a change of the limit.
  readonly #connections = createLruCache<connection>({ maxEntries })

  constructor(options: UpstreamRegistryOptions<connection>) {
    this.#options = options
    this.#fingerprint = options.fingerprint ?? randomFingerprint()
  }

  /** @throws as `open` of the options */
  of(record: UpstreamRecord): Upstream<connection> {
    const key = keyOf(record)
    const existing = this.#upstreams.get(key)
    if (existing) return existing
    const id = upstreamId(record, this.#options.field, this.#fingerprint)
    const upstream = new Upstream(id, this.#connectionOf(record), record.requestsPerSecond)
    this.#upstreams.set(key, upstream)
    return upstream
  }

  async close(): Promise<void> {
    const connections = new Set([...this.#upstreams.values()].map(({ connection }) => connection))
    await Promise.all([...connections].map((connection) => connection.close()))
  }

  #connectionOf(record: UpstreamRecord): connection {
    const key = keyOf({ ...record, requestsPerSecond: undefined })
    const connection = this.#connections.get(key) ?? this.#options.open(record)
    this.#connections.set(key, connection)
    return connection
  }
}

/** Returns the id of an upstream in a field of records. */
export function upstreamId(record: UpstreamRecord, field: string, fingerprint: Fingerprint): string {
  return fingerprint(keyOf(record), `upstream ${field}`).slice(0, idLength)
}

/** Creates fingerprints with a random key, which no other process can reproduce. */
export function randomFingerprint(): Fingerprint {
  const key = randomBytes(32)
  return (text, context) => createHmac('sha256', key).update(`${context}\n${text}`).digest('base64url')
}

function keyOf(record: UpstreamRecord): string {
  const { address, certificateAuthorityFile, jwtSecretFile, maxBatchedCalls, requestsPerSecond } = record
  return JSON.stringify([
    address,
    certificateAuthorityFile,
    jwtSecretFile,
    maxBatchedCalls,
    requestsPerSecond,
  ])
}
