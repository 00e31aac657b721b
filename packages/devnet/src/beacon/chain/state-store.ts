import type { Node } from '@chainsafe/persistent-merkle-tree'
import { SLOTS_PER_EPOCH } from '@lodestar/params'
import {
  createCachedBeaconState,
  DataAvailabilityStatus,
  ExecutionPayloadStatus,
  processSlots,
  stateTransition,
  type CachedBeaconStateFulu,
} from '@lodestar/state-transition'
import { ssz, type RootHex, type Slot } from '@lodestar/types'
import type { BlockStore } from './block-store.ts'
import { NotFound } from './not-found.ts'

// Within this distance a state takes little memory, because it shares most of its tree with its neighbours.
const recentSlots = 32
/** Distance between two stored trees of old states; the blocks between them are replayed on request. */
export const slotsBetweenTrees = 4 * SLOTS_PER_EPOCH
const maxCachedStates = 8

/**
 * Stores the post-states of the blocks. It stores recent states completely and, of old states, one tree for every 32
 * slots; states between those trees are computed again from the blocks.
 */
export class StateStore {
  readonly #blocks: BlockStore
  readonly #genesis: CachedBeaconStateFulu
  readonly #states = new Map<RootHex, CachedBeaconStateFulu>()
  readonly #trees = new Map<RootHex, { slot: Slot; node: Node }>()
  // Cache of recently requested states, ordered by last use.
  readonly #cache = new Map<string, CachedBeaconStateFulu>()

  constructor(blocks: BlockStore, genesis: CachedBeaconStateFulu) {
    this.#blocks = blocks
    this.#genesis = genesis
    this.#states.set(blocks.genesis.root, genesis)
  }

  add(blockRoot: RootHex, state: CachedBeaconStateFulu): void {
    this.#states.set(blockRoot, state)
  }

  /**
   * @returns The state after a block.
   * @throws NotFound when the block or one of the blocks that lead to it is no longer stored.
   */
  after(blockRoot: RootHex): CachedBeaconStateFulu {
    return this.#states.get(blockRoot) ?? this.#cached(blockRoot, () => this.#replay(blockRoot))
  }

  /**
   * @returns The state after a block, advanced to a slot that has no block.
   * @throws NotFound like {@link after}.
   */
  advanced(blockRoot: RootHex, slot: Slot): CachedBeaconStateFulu {
    const state = this.after(blockRoot)
    if (state.slot >= slot) return state
    return this.#cached(`${blockRoot}@${slot}`, () => processSlots(state, slot) as CachedBeaconStateFulu)
  }

  /**
   * Removes old states.
   *
   * @param finalizedSlot Slot of the finalized block.
   * @param oldestSlot The first slot whose blocks are retained; a multiple of {@link slotsBetweenTrees}.
   */
  prune(finalizedSlot: Slot, oldestSlot: Slot): void {
    for (const [root, state] of this.#states) {
      if (state.slot >= finalizedSlot - recentSlots || root === this.#blocks.genesis.root) continue
      if (this.#isMilestone(root)) {
        this.#trees.set(root, { slot: state.slot, node: state.node })
      }
      this.#states.delete(root)
    }
    for (const [root, { slot }] of this.#trees) {
      if (slot < oldestSlot) this.#trees.delete(root)
    }
  }

  /** Number of stored states and trees. */
  get size(): { readonly states: number; readonly trees: number } {
    return { states: this.#states.size, trees: this.#trees.size }
  }

  // Matches the first block of the canonical branch after each multiple of the distance.
  #isMilestone(root: RootHex): boolean {
    const block = this.#blocks.get(root)
    const parent = block && this.#blocks.get(block.parentRoot)
    if (block === undefined || parent === undefined || !this.#blocks.isCanonical(root)) return false
    return Math.floor(parent.slot / slotsBetweenTrees) < Math.floor(block.slot / slotsBetweenTrees)
  }

  #replay(blockRoot: RootHex): CachedBeaconStateFulu {
    const path: RootHex[] = []
    let state: CachedBeaconStateFulu | undefined
    for (let root = blockRoot; ;) {
      state = this.#states.get(root) ?? this.#fromTree(root)
      if (state !== undefined) break
      const block = this.#blocks.get(root)
      if (block === undefined) throw new NotFound('The state is no longer stored.')
      path.push(root)
      root = block.parentRoot
    }
    for (const root of path.toReversed()) {
      state = stateTransition(state, this.#blocks.content(root), {
        verifyStateRoot: false,
        verifyProposer: false,
        verifySignatures: false,
        executionPayloadStatus: ExecutionPayloadStatus.valid,
        dataAvailabilityStatus: DataAvailabilityStatus.Available,
      }) as CachedBeaconStateFulu
    }
    state.hashTreeRoot()
    return state
  }

  #fromTree(root: RootHex): CachedBeaconStateFulu | undefined {
    const tree = this.#trees.get(root)
    if (tree === undefined) return undefined
    const { config, epochCtx } = this.#genesis
    return createCachedBeaconState(
      ssz.fulu.BeaconState.getViewDU(tree.node),
      { config, pubkeyCache: epochCtx.pubkeyCache },
      { skipSyncPubkeys: true },
    )
  }

  #cached(key: string, compute: () => CachedBeaconStateFulu): CachedBeaconStateFulu {
    const state = this.#cache.get(key) ?? compute()
    this.#cache.delete(key)
    this.#cache.set(key, state)
    const [oldest] = this.#cache.keys()
    if (this.#cache.size > maxCachedStates && oldest !== undefined) this.#cache.delete(oldest)
    return state
  }
}
