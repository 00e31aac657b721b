import type { ChainState } from '../chain/block-producer.ts'
import type { ChainTransaction, JettonExample, Trace } from '../chain/jetton-chain.ts'
import { writeSnapshot, writeStep, type JournalStep, type Snapshot } from './journal-coding.ts'

/** Encodes all stored data of a chain as the records of a new journal. */
export function writeWholeChain({ accounts, ledger, indexer }: ChainState, example: JettonExample): Buffer[] {
  const transfers = byTrace(indexer.transfers)
  const burns = byTrace(indexer.burns)
  const mints = byTrace(indexer.mints)
  const snapshot = writeSnapshot({
    version: 1,
    example,
    isWhole: ledger.isWhole,
    accounts: [...accounts.bocs()],
    masters: [...indexer.masters.values()],
    wallets: [...indexer.wallets.values()],
  })
  const steps = ledger.steps.map((step) => {
    const of = <row>(rows: ReadonlyMap<Trace, row[]>) => (step.trace && rows.get(step.trace)) ?? []
    const index = { masters: [], wallets: [], transfers: of(transfers), burns: of(burns), mints: of(mints) }
    return writeStep({ step, accounts: [], index })
  })
  return [snapshot, ...steps]
}

/** Fills an empty chain with the content of a journal. */
export function restoreChain(
  { accounts, ledger, indexer }: ChainState,
  snapshot: Snapshot,
  steps: readonly JournalStep[],
): void {
  for (const [account, boc] of snapshot.accounts) accounts.set(account, boc)
  indexer.apply({ ...noChange, masters: snapshot.masters, wallets: snapshot.wallets })
  for (const { step, accounts: states, index } of steps) {
    // A rewritten journal may contain the step that was in progress a second time.
    if (step.record.masterchain.seqno <= (ledger.steps.at(-1)?.record.masterchain.seqno ?? 0)) continue
    for (const [account, boc] of states) accounts.set(account, boc)
    ledger.append(step)
    indexer.apply(index)
  }
  if (ledger.prune()) indexer.prune(ledger.oldestLt)
}

const noChange = { masters: [], wallets: [], transfers: [], burns: [], mints: [] }

function byTrace<row extends { readonly transaction: ChainTransaction }>(
  rows: readonly row[],
): ReadonlyMap<Trace, row[]> {
  const groups = new Map<Trace, row[]>()
  for (const row of rows) {
    const { trace } = row.transaction
    const group = groups.get(trace)
    if (group === undefined) groups.set(trace, [row])
    else group.push(row)
  }
  return groups
}
