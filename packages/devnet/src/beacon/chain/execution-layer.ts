import {
  createBlock,
  createBlockFromBeaconPayloadJSON,
  genRequestsRoot,
  type BeaconPayloadJSON,
  type Block,
} from '@ethereumjs/block'
import { createCustomCommon, Hardfork, Mainnet, type Common } from '@ethereumjs/common'
import { MerkleStateManager } from '@ethereumjs/statemanager'
import { bytesToHex, CLRequest, CLRequestType, createAddressFromString, type MapDB } from '@ethereumjs/util'
import { buildBlock, createVM, runBlock, type VM } from '@ethereumjs/vm'
import { ssz, type capella, type deneb, type electra, type RootHex } from '@lodestar/types'
import { toRootHex } from '@lodestar/utils'
import { createHash } from 'node:crypto'

const gasLimit = 36_000_000n
const initialBaseFee = 1_000_000_000n

/** The attributes of a payload (Engine API, PayloadAttributesV3). */
export interface PayloadAttributes {
  /** Unix time in seconds. */
  readonly timestamp: number
  readonly prevRandao: Uint8Array
  /** 0x and 40 hex digits. */
  readonly suggestedFeeRecipient: string
  readonly withdrawals: readonly capella.Withdrawal[]
  readonly parentBeaconBlockRoot: Uint8Array
}

/** The parts of a beacon block that determine its execution block. */
export interface NewPayload {
  readonly payload: deneb.ExecutionPayload
  readonly parentBeaconBlockRoot: Uint8Array
  readonly executionRequests: electra.ExecutionRequests
}

/**
 * A built-in execution layer (Osaka from genesis), in the role of the client behind the Engine API.
 *
 * No contract is deployed, not even the system contracts, so a state contains only balances; calls to a system contract
 * without code have no effect, as their specifications require.
 */
export class ExecutionLayer {
  readonly genesis: deneb.ExecutionPayload
  readonly #common: Common
  readonly #states: MerkleStateManager
  readonly #vm: VM
  readonly #blocks: Map<RootHex, Block>

  private constructor(common: Common, states: MerkleStateManager, vm: VM, genesis: Block) {
    this.#common = common
    this.#states = states
    this.#vm = vm
    this.genesis = toPayload(genesis)
    this.#blocks = new Map([[toRootHex(genesis.hash()), genesis]])
  }

  /**
   * Creates a chain with its genesis block.
   *
   * @param genesisTime Unix time in seconds.
   * @returns The execution layer.
   */
  static async create({
    genesisTime,
    chainId,
  }: {
    genesisTime: number
    chainId: number
  }): Promise<ExecutionLayer> {
    const common = createCustomCommon({ chainId }, Mainnet, { hardfork: Hardfork.Osaka })
    const states = new MerkleStateManager({ common })
    const vm = await createVM({ common, stateManager: states })
    const header = {
      number: 0n,
      timestamp: BigInt(genesisTime),
      gasLimit,
      baseFeePerGas: initialBaseFee,
      stateRoot: await states.getStateRoot(),
      parentBeaconBlockRoot: new Uint8Array(32),
    }
    return new ExecutionLayer(common, states, vm, createBlock({ header, withdrawals: [] }, { common }))
  }

  /**
   * Builds a block without transactions on any block whose state is stored.
   *
   * @param parentHash Hash of the parent.
   * @param attributes See {@link PayloadAttributes}.
   * @returns The payload.
   */
  async build(parentHash: RootHex, attributes: PayloadAttributes): Promise<deneb.ExecutionPayload> {
    const parentBlock = this.#require(parentHash)
    await this.#states.setStateRoot(parentBlock.header.stateRoot)
    const builder = await buildBlock(this.#vm, {
      parentBlock,
      headerData: {
        timestamp: BigInt(attributes.timestamp),
        mixHash: attributes.prevRandao,
        coinbase: createAddressFromString(attributes.suggestedFeeRecipient),
        parentBeaconBlockRoot: attributes.parentBeaconBlockRoot,
      },
      withdrawals: attributes.withdrawals.map((withdrawal) => ({
        ...withdrawal,
        address: bytesToHex(withdrawal.address),
      })),
      blockOpts: { putBlockIntoBlockchain: false },
    })
    const { block } = await builder.build()
    this.#blocks.set(toRootHex(block.hash()), block)
    return toPayload(block)
  }

  /**
   * Accepts a payload with a correct hash without executing it.
   *
   * @param given The payload and the other inputs of its header.
   * @throws Error when the hash in the payload does not match.
   */
  async accept({ payload, parentBeaconBlockRoot, executionRequests }: NewPayload): Promise<void> {
    const json = {
      ...ssz.deneb.ExecutionPayload.toJson(payload),
      parent_beacon_block_root: bytesToHex(parentBeaconBlockRoot),
      requests_hash: bytesToHex(hashRequests(executionRequests)),
    }
    const block = await createBlockFromBeaconPayloadJSON(json as unknown as BeaconPayloadJSON, {
      common: this.#common,
    })
    this.#blocks.set(toRootHex(payload.blockHash), block)
  }

  /**
   * Executes an accepted payload whose parent has been executed.
   *
   * @param blockHash Hash of the payload.
   * @returns Whether header and execution are valid.
   */
  async execute(blockHash: RootHex): Promise<boolean> {
    const block = this.#require(blockHash)
    const parent = this.#require(toRootHex(block.header.parentHash))
    if (!followsFrom(block, parent)) return false
    try {
      await runBlock(this.#vm, { block, root: parent.header.stateRoot, skipHeaderValidation: true })
      return true
    } catch {
      return false
    }
  }

  /**
   * Creates a payload that has a correct hash and a wrong state root, as a faulty execution client would.
   *
   * @param blockHash Hash of a valid payload.
   * @returns The invalid payload.
   */
  corrupt(blockHash: RootHex): deneb.ExecutionPayload {
    const { header, withdrawals = [] } = this.#require(blockHash)
    const stateRoot = createHash('sha256').update(header.stateRoot).digest()
    return toPayload(
      createBlock({ header: { ...header.toJSON(), stateRoot }, withdrawals }, { common: this.#common }),
    )
  }

  /**
   * Removes unused blocks and states.
   *
   * @param retained Hashes of the blocks to retain, with their states.
   */
  async prune(retained: ReadonlySet<RootHex>): Promise<void> {
    for (const hash of this.#blocks.keys()) {
      if (!retained.has(hash)) this.#blocks.delete(hash)
    }
    // The library never deletes a trie node of an earlier state.
    const nodes = this.#nodes()
    const reachable = new Set<string>()
    for (const { header } of this.#blocks.values()) {
      if (!nodes.has(nodeKey(header.stateRoot))) continue
      await this.#states['_trie'].walkTrie(header.stateRoot, (reference, node, progress, walk) => {
        if (reference instanceof Uint8Array) reachable.add(nodeKey(reference))
        if (node !== null) walk.allChildren(node, progress)
      })
    }
    for (const key of nodes.keys()) {
      if (!reachable.has(key)) nodes.delete(key)
    }
  }

  /** Number of stored blocks and trie nodes. */
  get size(): { readonly blocks: number; readonly nodes: number } {
    return { blocks: this.#blocks.size, nodes: this.#nodes().size }
  }

  #nodes(): Map<string, string> {
    return (this.#states['_trie'].database().db as MapDB<string, string>)['_database']
  }

  #require(hash: RootHex): Block {
    const block = this.#blocks.get(hash)
    if (block === undefined) throw new Error(`The execution layer does not have block ${hash}.`)
    return block
  }
}

// The rules that tie a header to its parent; execution does not check them.
function followsFrom(block: Block, parent: Block): boolean {
  const { header } = block
  try {
    block.validateGasLimit(parent)
  } catch {
    return false
  }
  return (
    header.number === parent.header.number + 1n &&
    header.timestamp > parent.header.timestamp &&
    header.baseFeePerGas === parent.header.calcNextBaseFee() &&
    header.excessBlobGas === parent.header.calcNextExcessBlobGas(block.common)
  )
}

function hashRequests({ deposits, withdrawals, consolidations }: electra.ExecutionRequests): Uint8Array {
  const requests = [
    new CLRequest(CLRequestType.Deposit, ssz.electra.DepositRequests.serialize(deposits)),
    new CLRequest(CLRequestType.Withdrawal, ssz.electra.WithdrawalRequests.serialize(withdrawals)),
    new CLRequest(CLRequestType.Consolidation, ssz.electra.ConsolidationRequests.serialize(consolidations)),
  ]
  return genRequestsRoot(requests, (data) => createHash('sha256').update(data).digest())
}

function toPayload(block: Block): deneb.ExecutionPayload {
  const { header } = block
  return {
    parentHash: header.parentHash,
    feeRecipient: header.coinbase.bytes,
    stateRoot: header.stateRoot,
    receiptsRoot: header.receiptTrie,
    logsBloom: header.logsBloom,
    prevRandao: header.mixHash,
    blockNumber: Number(header.number),
    gasLimit: Number(header.gasLimit),
    gasUsed: Number(header.gasUsed),
    timestamp: Number(header.timestamp),
    extraData: header.extraData,
    baseFeePerGas: header.baseFeePerGas ?? 0n,
    blockHash: block.hash(),
    transactions: [],
    withdrawals: (block.withdrawals ?? []).map(({ index, validatorIndex, address, amount }) => ({
      index: Number(index),
      validatorIndex: Number(validatorIndex),
      address: address.bytes,
      amount,
    })),
    blobGasUsed: header.blobGasUsed ?? 0n,
    excessBlobGas: header.excessBlobGas ?? 0n,
  }
}

function nodeKey(hash: Uint8Array): string {
  return bytesToHex(hash).slice(2)
}
