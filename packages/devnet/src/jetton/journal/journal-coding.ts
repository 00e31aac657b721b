import { deserialize, serialize } from 'node:v8'
import type { Cell } from '@ton/core'
import { readTrustedBoc } from '../chain/cells/read-trusted-boc.ts'
import { contiguous } from '../chain/contiguous.ts'
import type {
  ChainTransaction,
  IndexedJettonBurn,
  IndexedJettonMaster,
  IndexedJettonMint,
  IndexedJettonTransfer,
  IndexedJettonWallet,
  JettonExample,
} from '../chain/jetton-chain.ts'
import { connect, type Step, type StepRecord } from '../chain/step.ts'
import type { IndexChange } from '../jettons/index-change.ts'

/** The beginning of a journal: everything except the steps of the chain. */
export interface Snapshot {
  /** Version of the record format; other versions cannot be read. */
  readonly version: 1
  readonly example: JettonExample
  /** Whether the steps that follow are all steps since genesis. */
  readonly isWhole: boolean
  /** States by raw addresses, as bags of cells in base64. */
  readonly accounts: readonly (readonly [string, string])[]
  readonly masters: readonly IndexedJettonMaster[]
  readonly wallets: readonly IndexedJettonWallet[]
}

/** A step of the chain and its changes. */
export interface JournalStep {
  readonly step: Step
  /** New states by raw addresses, as bags of cells in base64; empty for a deleted account. */
  readonly accounts: readonly (readonly [string, string])[]
  readonly index: IndexChange
}

/** Encodes the beginning of a journal. */
export function writeSnapshot(snapshot: Snapshot): Buffer {
  return serialize(snapshot)
}

/** Decodes the beginning of a journal. */
export function readSnapshot(content: Buffer): Snapshot {
  const snapshot: Partial<Snapshot> = deserialize(content)
  if (snapshot.version !== 1) throw new TypeError('the journal has an unsupported version')
  const { masters, wallets, ...rest } = snapshot as Snapshot
  return { ...rest, ...contiguous({ masters, wallets }) }
}

/** Encodes a step; cells become bags of cells, and transactions become their positions in the step. */
export function writeStep({ step, accounts, index }: JournalStep): Buffer {
  const { record, trace } = step
  const pack = ({ transaction, ...row }: Row): PackedRow => ({
    ...row,
    position: trace?.transactions.indexOf(transaction) ?? 0,
    customPayload: row.customPayload?.toBoc(),
    forwardPayload: row.forwardPayload?.toBoc(),
  })
  const packed: PackedStep = {
    record,
    accounts,
    masters: index.masters,
    wallets: index.wallets,
    transfers: index.transfers.map(pack),
    burns: index.burns.map(pack),
    mints: index.mints.map(pack),
  }
  return serialize(packed)
}

/** Decodes a step. */
export function readStep(content: Buffer): JournalStep {
  const { accounts, ...packed }: PackedStep = deserialize(content)
  // Masters and wallets remain when the step is removed.
  const { masters, wallets } = contiguous({ masters: packed.masters, wallets: packed.wallets })
  const { record, ...rows } = contiguous({ ...packed, masters: [], wallets: [] })
  const step = connect(record)
  const unpack = ({ position, customPayload, forwardPayload, ...row }: PackedRow): Row => {
    const transaction = step.trace?.transactions[position]
    if (transaction === undefined) throw new TypeError('the step lacks a transaction of the index')
    const payloads = { customPayload: readCell(customPayload), forwardPayload: readCell(forwardPayload) }
    return { ...row, ...payloads, transaction }
  }
  const index: IndexChange = {
    masters,
    wallets,
    // The packed rows had these types, so the unpacked ones have them too.
    transfers: rows.transfers.map(unpack) as IndexedJettonTransfer[],
    burns: rows.burns.map(unpack) as IndexedJettonBurn[],
    mints: rows.mints.map(unpack) as IndexedJettonMint[],
  }
  return { step, accounts, index }
}

interface Row {
  readonly transaction: ChainTransaction
  readonly customPayload?: Cell | undefined
  readonly forwardPayload?: Cell | undefined
}

interface PackedRow {
  readonly position: number
  readonly customPayload: Buffer | undefined
  readonly forwardPayload: Buffer | undefined
}

interface PackedStep extends Pick<IndexChange, 'masters' | 'wallets'> {
  readonly record: StepRecord
  readonly accounts: readonly (readonly [string, string])[]
  readonly transfers: readonly PackedRow[]
  readonly burns: readonly PackedRow[]
  readonly mints: readonly PackedRow[]
}

function readCell(boc: Buffer | undefined): Cell | undefined {
  return boc === undefined ? undefined : readTrustedBoc(boc)
}
