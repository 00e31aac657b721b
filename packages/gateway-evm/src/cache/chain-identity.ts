import { performance } from 'node:perf_hooks'
import { sha256Hex } from '@fairlead/gateway-core/credentials/secret'
import { isRecord } from '@fairlead/gateway-core/json'
import type { ChainView } from '../chain/chain-view.ts'
import type { Upstream } from '../upstream/types.ts'

// Chains of these clients, and with these ids, are for development: they are set back, changed and begun anew at will,
// without regard to what they call finalized.
const developmentClients = /^(?:anvil|hardhat|ganache|tevm|edr)/i
const developmentIds: readonly unknown[] = ['0x7a69', '0x539']

const identifyTimeoutMs = 10_000
const identifyAgainMs = 30_000
// What a node that is a little behind says of blocks that it has not got may look like an answer.
const unsureBlocks = 32

/** What has to be known of the chain behind a node before anything of it may be kept. */
export class ChainIdentity {
  /** Grows whenever an answer that was asked for earlier may differ from one that is asked for now. */
  epoch = 0
  /** Stands before the keys of what is kept; another one when what was kept is good no more. */
  prefix: string
  /** How often what was kept turned out to be good no more. */
  generation = 0
  readonly #upstream: Upstream
  readonly #view: ChainView | undefined
  readonly #name: string
  readonly #address: string
  #identity: string | undefined
  #isLasting = false
  #identifyAt = 0
  #newest = 0
  #highestKept = -1

  /**
   * @param upstream - the node
   * @param view - what is known of its chain; without one nothing is kept
   * @param address - of the upstreams, as the grant has it
   * @param name - another one for every node
   */
  constructor(upstream: Upstream, view: ChainView | undefined, address: string, name: string) {
    this.#upstream = upstream
    this.#view = view
    this.#address = address
    this.#name = name
    this.prefix = `${name}.0:`
    view?.onReorganized((lowest) => this.#reorganized(lowest))
  }

  /** What tells this chain behind these upstreams from every other one; undefined until known, and for development. */
  get identity(): string | undefined {
    return this.#isLasting ? this.#identity : undefined
  }

  /** Whether the chain is none that may be set back at will. */
  get isLasting(): boolean {
    return this.#notice() && this.#isLasting
  }

  /** Another text for every state of the chain that is known of; undefined while none is. */
  get headMark(): string | undefined {
    const head = this.#view?.head
    return head && `${head.hash}.${this.epoch}`
  }

  /** Number of the newest block whose answers may be kept; undefined when none may. */
  get finalized(): number | undefined {
    return this.isLasting ? this.#view?.finalized : undefined
  }

  /** As {@link finalized}, for answers that look the same whether a node has all of the blocks or not. */
  get surelyFinalized(): number | undefined {
    const { finalized } = this
    const head = this.#view?.head
    return finalized === undefined || !head ? undefined : Math.min(finalized, head.number - unsureBlocks)
  }

  /** Number of the latest block that a trusted upstream has shown. */
  get latest(): number | undefined {
    return this.#view?.head?.number
  }

  /** Whether a claimed number of the latest block needs a block that confirms it. */
  doubts(number: number): boolean {
    return this.#view?.doubts(number) === true
  }

  /** Takes note of a block number that a client has seen as the newest one. */
  observe(newest: number): void {
    if (newest <= this.#newest) return
    this.#newest = newest
    this.epoch += 1
  }

  /** Takes note of a call that may have changed what others are answered. */
  changed(): void {
    this.epoch += 1
  }

  /** Takes note that an answer of a block is kept. */
  kept(number: number): void {
    if (number > this.#highestKept) this.#highestKept = number
  }

  /** Looks whether the chain is still the one that it was; false when nothing is known of it at the moment. */
  #notice(): boolean {
    const head = this.#view?.head
    if (!head) return false
    if (head.number > this.#newest) this.observe(head.number)
    // It has begun anew, or nobody is left who has what was final once.
    if (head.number < this.#highestKept) this.#forget()
    if (this.#identity === undefined && performance.now() >= this.#identifyAt) void this.#identify()
    return true
  }

  #reorganized(lowest: number): void {
    this.#newest = 0
    this.epoch += 1
    if (lowest <= this.#highestKept) this.#forget()
  }

  #forget(): void {
    this.generation += 1
    this.prefix = `${this.#name}.${this.generation}:`
    this.#highestKept = -1
    this.#newest = 0
    this.epoch += 1
    this.#identity = undefined
    this.#isLasting = false
    this.#identifyAt = 0
  }

  async #identify(): Promise<void> {
    this.#identifyAt = performance.now() + identifyAgainMs
    const generation = this.generation
    const signal = AbortSignal.timeout(identifyTimeoutMs)
    try {
      const [id, genesis, client] = await Promise.all([
        this.#upstream.call('eth_chainId', [], signal),
        this.#upstream.call('eth_getBlockByNumber', ['0x0', false], signal),
        this.#upstream.call('web3_clientVersion', [], signal).catch(() => undefined),
      ])
      const hash = isRecord(genesis) ? genesis['hash'] : undefined
      if (generation !== this.generation || typeof id !== 'string' || typeof hash !== 'string') return
      this.#isLasting =
        !developmentIds.includes(id) && !(typeof client === 'string' && developmentClients.test(client))
      this.#identity = sha256Hex(JSON.stringify([this.#address, id, hash]))
    } catch {
      // Nothing is kept until it says who it is.
    }
  }
}
