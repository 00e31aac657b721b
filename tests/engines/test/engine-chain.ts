import { type Built, EngineNode, type NodeWithFolder, type Payload, zeroHash } from './engine-node.ts'
import { senderAddress, signed } from './genesis.ts'

export type { Built }

/**
 * Decides, as a consensus client does, which blocks a go-ethereum has. A second node without other clients builds the
 * blocks, because a node builds only upon its own head.
 */
export class EngineChain {
  #node: EngineNode
  #builder: EngineNode
  readonly #payloads = new Map<string, Payload>()
  #variant = 0

  private constructor(node: EngineNode, builder: EngineNode) {
    this.#node = node
    this.#builder = builder
  }

  /** Drives a node with the blocks that the other one builds. Both have the same genesis block. */
  static async drive(node: NodeWithFolder, builder: NodeWithFolder): Promise<EngineChain> {
    return new EngineChain(await EngineNode.of(node), await EngineNode.of(builder))
  }

  /** Returns the block with a number or tag. */
  block(at: number | string): Promise<Built> {
    return this.#node.block(typeof at === 'number' ? `0x${at.toString(16)}` : at)
  }

  head(): Promise<Built> {
    return this.#node.block('latest')
  }

  /** Returns the full payload of a built block. */
  payloadOf({ hash }: Pick<Built, 'hash'>): Payload {
    const payload = this.#payloads.get(hash)
    if (payload === undefined) throw new Error(`the block ${hash} was not built here`)
    return payload
  }

  /** Builds blocks upon a parent and makes the last of them the head. */
  async #buildUpon(parent: Built, count: number, logs: number): Promise<readonly Built[]> {
    if ((await this.#builder.block('latest')).hash !== parent.hash)
      await this.#builder.request('debug_setHead', `0x${parent.number.toString(16)}`)
    let nonce = Number(await this.#builder.request('eth_getTransactionCount', senderAddress, 'latest'))
    const built: Built[] = []
    for (let at = parent; built.length < count; at = built.at(-1) ?? parent) {
      const transactions = await Promise.all(Array.from({ length: logs }, () => signed(nonce++)))
      built.push(await this.#buildOne(at, transactions))
    }
    return built
  }

  async #buildOne(parent: Built, transactions: readonly string[]): Promise<Built> {
    this.#variant += 1
    const attributes = {
      timestamp: `0x${(parent.timestamp + 1).toString(16)}`,
      // Makes blocks with the same parent different.
      prevRandao: `0x${this.#variant.toString(16).padStart(64, '0')}`,
      suggestedFeeRecipient: `0x${'11'.repeat(20)}`,
      withdrawals: [],
      parentBeaconBlockRoot: zeroHash,
    }
    const { executionPayload: payload } = await this.#builder.request<{ readonly executionPayload: Payload }>(
      'testing_buildBlockV1',
      parent.hash,
      attributes,
      transactions,
      '0x',
    )
    const { blockHash: hash, blockNumber, timestamp } = payload
    this.#payloads.set(hash, payload)
    await this.#builder.import(payload)
    await this.#builder.choose(hash)
    await this.#node.import(payload)
    return { hash, number: Number(blockNumber), timestamp: Number(timestamp) }
  }

  /** Makes a block the head, and others safe and finalized. */
  choose(head: Built, { safe, finalized }: { safe?: Built; finalized?: Built } = {}): Promise<void> {
    return this.#node.choose(head.hash, safe?.hash, finalized?.hash)
  }

  /**
   * Builds blocks upon the head, and makes each of them the head in turn.
   *
   * @param logs - number of transactions with a log in each block
   */
  async extend(count: number, logs = 1): Promise<readonly Built[]> {
    const blocks: Built[] = []
    for (let parent = await this.head(); blocks.length < count; parent = blocks.at(-1) ?? parent) {
      const built = await this.#buildUpon(parent, 1, logs)
      blocks.push(...built)
      for (const block of built) await this.choose(block)
    }
    return blocks
  }

  /** Replaces the latest blocks with others, one more than before. */
  async reorganize(depth: number, logs = 1): Promise<void> {
    const { number } = await this.head()
    const branch = await this.#buildUpon(await this.block(number - depth), depth + 1, logs)
    for (const head of branch.slice(-1)) await this.choose(head)
  }

  /** Continues with a restarted node up to a block, and sends it the blocks that it has lost. */
  async resume(node: NodeWithFolder, head: Built): Promise<void> {
    this.#node = await EngineNode.of(node)
    const { hash: currentHash } = await this.head()
    const missingPayloads: Payload[] = []
    for (let { hash } = head; hash !== currentHash;) {
      const payload = this.payloadOf({ hash })
      missingPayloads.unshift(payload)
      hash = payload.parentHash
    }
    for (const payload of missingPayloads) await this.#node.import(payload)
    await this.choose(head)
  }

  /** Continues with another chain. */
  async replace(node: NodeWithFolder, builder: NodeWithFolder): Promise<void> {
    this.#node = await EngineNode.of(node)
    this.#builder = await EngineNode.of(builder)
  }
}
