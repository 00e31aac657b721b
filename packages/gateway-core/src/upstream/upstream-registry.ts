import { createHmac, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { UpstreamRecord } from '../grants/parse-upstreams.ts'
import { type Connection, Upstream } from './upstream.ts'

/** Gives a keyed fingerprint of a text in a context: the same in every process and replica, and it does not reveal the text. */
export type Fingerprint = (text: string, context: string) => string

/** Connections that can be ended. */
export interface ClosableConnection extends Connection {
  close(): Promise<void>
}

/** How the upstreams of one field are opened. */
export interface UpstreamRegistryOptions<connection extends ClosableConnection> {
  /** Name of the field in records, for example `evm`. */
  readonly field: string
  /**
   * Opens the connections to an upstream. What the record says beside its URL is in the key of the registry where connections
   * depend on it: TLS, JWT, batches, calls a second. Rules of the network go by the URL.
   *
   * @throws when there can be none
   */
  open(record: UpstreamRecord): connection
  /** Makes the ids; those of this process alone when left out. */
  readonly fingerprint?: Fingerprint | undefined
}

// Records of nodes change without notice.
const mostKept = 20_000
const idLength = 8

/** The upstreams of one field of all nodes, each opened when it is first needed. Nodes with the same upstream share it. */
export class UpstreamRegistry<connection extends ClosableConnection> {
  readonly #options: UpstreamRegistryOptions<connection>
  readonly #fingerprint: Fingerprint
  // The one that was not used for longest is dropped: its connections end when they are idle.
  readonly #upstreams = new LRUCache<string, Upstream<connection>>({ max: mostKept })

  constructor(options: UpstreamRegistryOptions<connection>) {
    this.#options = options
    this.#fingerprint = options.fingerprint ?? randomFingerprint()
  }

  /** @throws as `open` of the options */
  of(record: UpstreamRecord): Upstream<connection> {
    const key = keyOf(record)
    const known = this.#upstreams.get(key)
    if (known) return known
    const { open, field } = this.#options
    const id = this.#fingerprint(key, `upstream ${field}`).slice(0, idLength)
    const upstream = new Upstream(id, open(record), record.requestsPerSecond)
    this.#upstreams.set(key, upstream)
    return upstream
  }

  async close(): Promise<void> {
    await Promise.all([...this.#upstreams.values()].map(({ connection }) => connection.close()))
  }
}

/** Makes fingerprints that no other process can make. */
export function randomFingerprint(): Fingerprint {
  const key = randomBytes(32)
  return (text, context) => createHmac('sha256', key).update(`${context}\n${text}`).digest('base64url')
}

function keyOf(record: UpstreamRecord): string {
  const { address, certificateAuthorityFile, jwtSecretFile, mostBatchedCalls, requestsPerSecond } = record
  return JSON.stringify([
    address,
    certificateAuthorityFile,
    jwtSecretFile,
    mostBatchedCalls,
    requestsPerSecond,
  ])
}
