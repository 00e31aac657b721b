import { sha256Hex } from '@fairlead/gateway-core/credentials/secret'
import type { DeadlineStore } from '@fairlead/gateway-core/shared-store/deadline-store'
import type { ChainIdentity } from './chain-identity.ts'

// Increment the version when the format of the values or the meaning of the keys changes.
const version = 'fairlead-answer-1'
const lifetimeSeconds = '86400'
const generationMs = 60_000
const retryMs = 1_000

/**
 * Second-level response cache, shared by all replicas of the gateway. It contains only responses of finalized blocks.
 * Every read has a short deadline.
 */
export class SharedCache {
  readonly #store: DeadlineStore
  #hits = 0
  #misses = 0

  constructor(store: DeadlineStore) {
    this.#store = store
  }

  /** Whether the store is reachable. */
  get isUp(): boolean {
    return this.#store.isUp
  }

  /**
   * Returns a cached response.
   *
   * @param key - key of the chain and the call
   * @returns undefined when there is none, or when the store does not respond before the deadline
   */
  async get(key: string): Promise<string | undefined> {
    if (!this.isUp) return undefined
    const value = await this.#store.query((store) => store.bytes(['GET', nameOf(key)]))
    const result = value ? resultIn(value.toString('utf8'), key) : undefined
    if (result === undefined) this.#misses += 1
    else this.#hits += 1
    return result
  }

  /** Caches a response without waiting for the store. */
  set(key: string, result: string): void {
    const value = `${version}\n${key}\n${result}`
    this.#store.update((store) => store.run(['SET', nameOf(key), value, 'EX', lifetimeSeconds]))
  }

  /**
   * Reads the generation of a chain, which is part of its keys.
   *
   * @param isInvalid - whether the current generation is invalid and a new one starts
   * @returns undefined when the store is not reachable
   */
  async generation(identity: string, isInvalid: boolean): Promise<string | undefined> {
    const name = `${version}:generation:${identity}`
    const value = await this.#store.query((store) => store.run([isInvalid ? 'INCR' : 'GET', name]))
    if (value === undefined) return undefined
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '0'
  }

  states(): { readonly hits: number; readonly misses: number } {
    return { hits: this.#hits, misses: this.#misses }
  }
}

/** Key prefix for the responses of one chain in the shared cache. */
export class KeySpace {
  readonly #cache: SharedCache
  readonly #chain: ChainIdentity
  #lastGeneration = 0
  #lastIdentity: string | undefined
  #generation: string | undefined
  #readAt = 0

  constructor(cache: SharedCache, chain: ChainIdentity) {
    this.#cache = cache
    this.#chain = chain
  }

  /** Prefix of the keys. Undefined while no response of the chain may be shared. */
  get prefix(): string | undefined {
    const { identity, generation } = this.#chain
    if (identity === undefined || !this.#cache.isUp) return undefined
    if (generation !== this.#lastGeneration || identity !== this.#lastIdentity) this.#generation = undefined
    if (this.#generation === undefined || performance.now() >= this.#readAt)
      void this.#read(identity, generation)
    return this.#generation === undefined ? undefined : `${identity}:${this.#generation}:`
  }

  async #read(identity: string, generation: number): Promise<void> {
    const isInvalid = generation !== this.#lastGeneration
    if (performance.now() < this.#readAt && !isInvalid && identity === this.#lastIdentity) return
    this.#readAt = performance.now() + generationMs
    this.#lastGeneration = generation
    this.#lastIdentity = identity
    const read = await this.#cache.generation(identity, isInvalid)
    if (generation !== this.#chain.generation || identity !== this.#lastIdentity) return
    this.#generation = read
    if (read === undefined) this.#readAt = performance.now() + retryMs
  }
}

function nameOf(key: string): string {
  return `${version}:${sha256Hex(key)}`
}

/** Returns the result in a stored value if this version wrote it for this key. */
function resultIn(value: string, key: string): string | undefined {
  const header = `${version}\n${key}\n`
  return value.startsWith(header) && value.length > header.length ? value.slice(header.length) : undefined
}
