import { CommitmentLevel } from '@fairlead/grpc/geyser'
import type { ChainSnapshot, StatusRecord } from './chain-record.ts'
import type { SignatureStatus, SlotContent, Tip } from './solana-chain.ts'

/** Number of blocks for which a blockhash is valid. */
export const blockhashAge = 150n
const statusAge = 300n

/** Limits of the stored history. */
export interface LedgerLimits {
  /** Number of slots with stored content. */
  readonly storedSlots: number
  /** Number of blocks after a block that make it final. */
  readonly finalityBlocks: number
}

/** The slots of the chain, the statuses of their transactions, and their commitment levels. */
export class Ledger {
  readonly #limits: LedgerLimits
  readonly #slots: SlotContent[]
  readonly #heights: Map<string, bigint>
  readonly #statuses: Map<string, StatusRecord[1]>

  /** @param slots Slots of the chain in order, with at least one. */
  constructor(
    limits: LedgerLimits,
    { slots, blockhashes, statuses }: Pick<ChainSnapshot, 'slots' | 'blockhashes' | 'statuses'>,
  ) {
    this.#limits = limits
    this.#slots = [...slots]
    this.#heights = new Map(blockhashes)
    this.#statuses = new Map(statuses)
  }

  get latest(): SlotContent {
    return this.#at(this.#slots.length - 1)
  }

  get oldest(): SlotContent {
    return this.#at(0)
  }

  /** Returns the latest slot that has reached a commitment level. */
  at(commitment: CommitmentLevel): SlotContent {
    return this.#at(this.#positionAt(commitment))
  }

  /** Appends a slot to the latest one. */
  append(content: SlotContent): void {
    this.#slots.push(content)
    const height = heightOf(content)
    this.#heights.set(content.meta.blockhash, height)
    const maxSlots = Math.max(this.#limits.storedSlots, this.#limits.finalityBlocks + 1)
    if (this.#slots.length > maxSlots) this.#slots.splice(0, this.#slots.length - maxSlots)
    for (const [blockhash, blockHeight] of this.#heights) {
      if (blockHeight + statusAge >= height) break
      this.#heights.delete(blockhash)
    }
    for (const [signature, { slot }] of this.#statuses) {
      if (slot + statusAge >= content.slot) break
      this.#statuses.delete(signature)
    }
  }

  tip(commitment: CommitmentLevel): Tip {
    const content = this.at(commitment)
    return { slot: content.slot, blockHeight: heightOf(content), blockhash: content.meta.blockhash }
  }

  slotsFrom(slot: bigint, commitment: CommitmentLevel): readonly SlotContent[] {
    const first = this.#slots.findIndex((content) => content.slot >= slot)
    return first === -1 ? [] : this.#slots.slice(first, this.#positionAt(commitment) + 1)
  }

  isBlockhashValid(blockhash: string, commitment: CommitmentLevel): boolean {
    const height = this.#heights.get(blockhash)
    if (height === undefined) return false
    const age = heightOf(this.at(commitment)) - height
    return age >= 0n && age <= blockhashAge
  }

  setStatus(signature: Uint8Array, slot: bigint, err: Uint8Array | undefined): void {
    this.#statuses.set(hex(signature), { slot, err })
  }

  deleteStatus(signature: Uint8Array): void {
    this.#statuses.delete(hex(signature))
  }

  statusOf(signature: Uint8Array): SignatureStatus | undefined {
    const status = this.#statuses.get(hex(signature))
    if (status === undefined) return undefined
    const highest = [CommitmentLevel.FINALIZED, CommitmentLevel.CONFIRMED].find(
      (commitment) => status.slot <= this.at(commitment).slot,
    )
    return { ...status, commitment: highest ?? CommitmentLevel.PROCESSED }
  }

  /** Returns the whole content, for a snapshot. */
  content(): Pick<ChainSnapshot, 'slots' | 'blockhashes' | 'statuses'> {
    return { slots: [...this.#slots], blockhashes: [...this.#heights], statuses: [...this.#statuses] }
  }

  #positionAt(commitment: CommitmentLevel): number {
    const behind = { 0: 0, 1: 1, 2: this.#limits.finalityBlocks }[commitment]
    return Math.max(0, this.#slots.length - 1 - behind)
  }

  #at(position: number): SlotContent {
    const content = this.#slots[position]
    if (content === undefined) throw new TypeError('the ledger has no slots')
    return content
  }
}

/** Number of blocks before a block. */
export function heightOf({ meta }: SlotContent): bigint {
  return meta.blockHeight?.blockHeight ?? 0n
}

/** Formats bytes as a map key. */
export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}
