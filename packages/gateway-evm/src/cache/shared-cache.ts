import { sha256Hex } from '@fairlead/gateway-core/credentials/secret'
import type { DeadlineStore } from '@fairlead/gateway-core/shared-store/deadline-store'
import type { ChainIdentity } from './chain-identity.ts'

// Another version for another form of values or meaning of keys.
const version = 'fairlead-answer-1'
const lifetimeSeconds = '86400'
const generationMs = 60_000
const soonMs = 1_000

/**
 * The second level of kept answers, for all replicas of the service. It holds answers of finalized blocks alone, and
 * nobody ever waits long for it.
 */
export class SharedCache {
  readonly #store: DeadlineStore
  #hits = 0
  #misses = 0

  constructor(store: DeadlineStore) {
    this.#store = store
  }

  /** Whether it is worth asking. */
  get isUp(): boolean {
    return this.#store.isUp
  }

  /**
   * Finds an answer.
   *
   * @param key - of the chain and the call
   * @returns undefined when there is none, or none soon enough
   */
  async get(key: string): Promise<string | undefined> {
    if (!this.isUp) return undefined
    const value = await this.#store.ask((store) => store.bytes(['GET', nameOf(key)]))
    const result = value ? resultIn(value.toString('utf8'), key) : undefined
    if (result === undefined) this.#misses += 1
    else this.#hits += 1
    return result
  }

  /** Keeps an answer, without waiting for it. */
  set(key: string, result: string): void {
    const value = `${version}\n${key}\n${result}`
    this.#store.tell((store) => store.run(['SET', nameOf(key), value, 'EX', lifetimeSeconds]))
  }

  /**
   * Reads the generation of a chain, which stands in its keys.
   *
   * @param isOver - whether what the present one holds is good no more
   * @returns undefined when the store is away
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

/** Where in the second level the answers of one chain lie. */
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

  /** What stands before the keys; undefined while nothing of the chain may be shared. */
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

/** The result in a value, if it was written for this key by this version. */
function resultIn(value: string, key: string): string | undefined {
  const ahead = `${version}\n${key}\n`
  return value.startsWith(ahead) && value.length > ahead.length ? value.slice(ahead.length) : undefined
}
