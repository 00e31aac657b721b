import { performance } from 'node:perf_hooks'
import { sha256Hex } from '@fairlead/gateway-core/credentials/secret'
import { isRecord } from '@fairlead/gateway-core/json'
import type { ChainView } from '../chain/chain-view.ts'
import type { Upstream } from '../upstream/types.ts'

// Chains with these execution clients or these chain ids are for development: they may be reverted, modified and reset
// at any time, including finalized blocks.
const developmentClients = /^(?:anvil|hardhat|ganache|tevm|edr)/i
const developmentIds: readonly unknown[] = ['0x7a69', '0x539']

const identifyTimeoutMs = 10_000
const identifyRetryMs = 30_000
// An upstream that lags slightly may return an empty response for a block that it does not have yet.
const unsureBlocks = 32

/** Tracks what must be known about the chain of a node before its responses may be cached. */
export class ChainIdentity {
  /** Incremented whenever an earlier response may differ from a new one. */
  epoch = 0
  /** Prefix of the cache keys. Changes when the cached responses become invalid. */
  prefix: string
  /** How often the cached responses became invalid. */
  generation = 0
  readonly #upstream: Upstream
  readonly #view: ChainView | undefined
  readonly #name: string
  #identity: string | undefined
  /** Digest of the chain id and the hash of the genesis block when the chain was last identified. */
  #chain: string | undefined
  #chainKey: string | undefined
  #version: number | undefined
  #isCacheable = false
  #identifyAt = 0
  #latest = 0
  #highestCached = -1

  /**
   * @param upstream - upstream of the node
   * @param view - observed chain of the node; without it nothing is cached
   * @param name - unique for each node
   */
  constructor(upstream: Upstream, view: ChainView | undefined, name: string) {
    this.#upstream = upstream
    this.#view = view
    this.#name = name
    this.#version = upstream.list?.version
    this.prefix = `${name}.0:`
    view?.onReorganized((lowest) => this.#reorganized(lowest))
  }

  /** Identifies this chain behind these upstreams. Undefined until it is known, and for development chains. */
  get identity(): string | undefined {
    return this.#isCacheable ? this.#identity : undefined
  }

  /**
   * Identifies this chain, whichever upstreams serve it. Undefined until it is known for the current list of upstreams,
   * and for development chains. It stays while the chain is identified again.
   */
  get chainKey(): string | undefined {
    this.#refresh()
    return this.#chainKey
  }

  /** Whether the chain is known and is not a development chain. */
  get isCacheable(): boolean {
    return this.#refresh() && this.#isCacheable
  }

  /** Identifies the current state of the chain. Undefined while no chain head is known. */
  get headKey(): string | undefined {
    const head = this.#view?.head
    return head && `${head.hash}.${this.epoch}`
  }

  /** Number of the latest block whose responses may be cached. Undefined when none may be cached. */
  get finalized(): number | undefined {
    return this.isCacheable ? this.#view?.finalized : undefined
  }

  /** As {@link finalized}, for responses that look the same whether or not an upstream has all of the blocks. */
  get surelyFinalized(): number | undefined {
    const { finalized } = this
    const head = this.#view?.head
    return finalized === undefined || !head ? undefined : Math.min(finalized, head.number - unsureBlocks)
  }

  /** Number of the latest block that a trusted upstream has reported. */
  get latest(): number | undefined {
    return this.#view?.head?.number
  }

  /** Whether a version of the list of upstreams is the current one of the node. */
  isCurrent(version: number | undefined): boolean {
    return version === this.#upstream.list?.version
  }

  /** Whether a reported number of the latest block must be confirmed by fetching the block. */
  doubts(number: number): boolean {
    return this.#view?.doubts(number) === true
  }

  /** Records a block number that a client has received as the latest one. */
  observe(latest: number): void {
    if (latest <= this.#latest) return
    this.#latest = latest
    this.epoch += 1
  }

  /** Records a call that may have changed the responses to other calls. */
  changed(): void {
    this.epoch += 1
  }

  /**
   * Applies a change of the upstreams. Cached responses are returned again once the chain is identified.
   *
   * @param version - version of the list of upstreams
   */
  follow(version: number | undefined): void {
    if (version === this.#version) return
    this.#version = version
    this.epoch += 1
    this.#chainKey = undefined
    this.#resetIdentity()
  }

  /** Records that a response of a block is cached. */
  cached(number: number): void {
    if (number > this.#highestCached) this.#highestCached = number
  }

  /** Checks whether the chain is still the same. Returns false when nothing is currently known about it. */
  #refresh(): boolean {
    const head = this.#view?.head
    if (!head) return false
    if (head.number > this.#latest) this.observe(head.number)
    // The chain was reset, or no upstream has the formerly final block any more.
    if (head.number < this.#highestCached) this.#invalidate()
    if (this.#identity === undefined && performance.now() >= this.#identifyAt) void this.#identify()
    return true
  }

  #reorganized(lowest: number): void {
    this.#latest = 0
    this.epoch += 1
    if (lowest <= this.#highestCached) this.#invalidate()
  }

  #invalidate(): void {
    this.generation += 1
    this.prefix = `${this.#name}.${this.generation}:`
    this.#highestCached = -1
    this.#latest = 0
    this.epoch += 1
    this.#resetIdentity()
  }

  #resetIdentity(): void {
    this.#identity = undefined
    this.#isCacheable = false
    this.#identifyAt = 0
  }

  async #identify(): Promise<void> {
    this.#identifyAt = performance.now() + identifyRetryMs
    const { generation } = this
    const { text = '', version } = this.#upstream.list ?? {}
    const signal = AbortSignal.timeout(identifyTimeoutMs)
    try {
      const [id, genesis, client] = await Promise.all([
        this.#upstream.call('eth_chainId', [], signal),
        this.#upstream.call('eth_getBlockByNumber', ['0x0', false], signal),
        this.#upstream.call('web3_clientVersion', [], signal).catch(() => undefined),
      ])
      const hash = isRecord(genesis) ? genesis['hash'] : undefined
      if (generation !== this.generation || !this.isCurrent(version)) return
      if (typeof id !== 'string' || typeof hash !== 'string') return
      const chain = sha256Hex(JSON.stringify([id, hash]))
      if (this.#chain !== undefined && chain !== this.#chain) this.#invalidate()
      this.#chain = chain
      this.#isCacheable =
        !developmentIds.includes(id) && !(typeof client === 'string' && developmentClients.test(client))
      this.#chainKey = this.#isCacheable ? chain : undefined
      this.#identity = sha256Hex(JSON.stringify([text, id, hash]))
    } catch {
      // Nothing is cached until the upstream identifies its chain.
    }
  }
}
