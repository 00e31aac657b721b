import { sha256Hex } from '@fairlead/gateway-core/credentials/secret'
import type { DeadlineStore } from '@fairlead/gateway-core/shared-store/deadline-store'
import type { ChainIdentity } from './chain-identity.ts'

// Increment the version when the format of the values or the meaning of the keys changes.
const version = 'fairlead-answer-1'
const lifetimeSeconds = '86400'
const generationMs = 60_000
const soonMs = 1_000

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
    const value = await this.#store.ask((store) => store.bytes(['GET', nameOf(key)]))
    const result = value ? resultIn(value.toString('utf8'), key) : undefined
    if (result === undefined) this.#misses += 1
    else this.#hits += 1
    return result
  }

  /** Caches a response without waiting for the store. */
  set(key: string, result: string): void {
    const value = `${version}\n${key}\n${result}`
    this.#store.tell((store) => store.run(['SET', nameOf(key), value, 'EX', lifetimeSeconds]))
  }

  /**
   * Reads the generation of a chain, which is part of its keys.
   *
   * @param isOver - whether the current generation is invalid and a new one starts
   * @returns undefined when the store is not reachable
   */
  async generation(identity: string, isOver: boolean): Promise<string | undefined> {
    const name = `${version}:generation:${identity}`
    const value = await this.#store.ask((store) => store.run([isOver ? 'INCR' : 'GET', name]))
    if (value === undefined) return undefined
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '0'
  }

  states(): { readonly hits: number; readonly misses: number } {
    return { hits: this.#hits, misses: this.#misses }
  }
}

/** Key prefix for the responses of one chain in the shared cache. */
export class KeySpace {
  readonly #answers: SharedCache
  readonly #chain: ChainIdentity
  #seen = 0
  #generation: string | undefined
  #readAt = 0

  constructor(answers: SharedCache, chain: ChainIdentity) {
    this.#answers = answers
    this.#chain = chain
  }

  /** Prefix of the keys. Undefined while no response of the chain may be shared. */
  get prefix(): string | undefined {
    const { identity, generation } = this.#chain
    if (identity === undefined || !this.#answers.isUp) return undefined
    if (generation !== this.#seen) this.#generation = undefined
    if (this.#generation === undefined || performance.now() >= this.#readAt)
      void this.#read(identity, generation)
    return this.#generation === undefined ? undefined : `${identity}:${this.#generation}:`
  }

  async #read(identity: string, generation: number): Promise<void> {
    if (performance.now() < this.#readAt && generation === this.#seen) return
    const isOver = generation !== this.#seen
    this.#readAt = performance.now() + generationMs
    this.#seen = generation
    const read = await this.#answers.generation(identity, isOver)
    if (generation !== this.#chain.generation) return
    this.#generation = read
    if (read === undefined) this.#readAt = performance.now() + soonMs
  }
}

function nameOf(key: string): string {
  return `${version}:${sha256Hex(key)}`
}

/** Returns the result in a stored value if this version wrote it for this key. */
function resultIn(value: string, key: string): string | undefined {
  const ahead = `${version}\n${key}\n`
  return value.startsWith(ahead) && value.length > ahead.length ? value.slice(ahead.length) : undefined
}
