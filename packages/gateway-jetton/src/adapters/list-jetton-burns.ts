import { setImmediate } from 'node:timers/promises'
import { Address } from '@ton/core'
import type { CancellationSignal } from '@fairlead/http1'
import { isRecord } from '@fairlead/gateway-core/json'
import type { JettonAdapter, JettonNode } from '../upstream/types.ts'
import { burnComment } from './burn-comment.ts'
import { type BurnRow, burnRows } from './burn-rows.ts'
import { jettonNames } from './jetton-names.ts'
import { type NodeRecord, unreadable } from './upstream-response.ts'

const longestTurnMs = 5

/**
 * Returns the burns of a jetton. The indexer filters by another parameter, also lists failed burns and has other
 * fields.
 */
export const listJettonBurns: JettonAdapter = async (call, node) => {
  const burns: NodeRecord[] = []
  // All of them are burns of one jetton.
  let jetton: NodeRecord | undefined
  let turn = performance.now()
  for await (const each of burnRows(call, node)) {
    jetton ??= await jettonOf(each, node, call.signal)
    burns.push(burnOf(each, jetton))
    // Parsing comments may take long, and other calls wait meanwhile.
    if (performance.now() - turn < longestTurnMs) continue
    await setImmediate()
    if (call.signal.aborted) throw new DOMException('The call has ended.', 'AbortError')
    turn = performance.now()
  }
  return { burns }
}

async function jettonOf(
  { row, addressBook, metadata }: BurnRow,
  node: JettonNode,
  signal: CancellationSignal,
): Promise<NodeRecord> {
  const master = textOf(row, 'jetton_master')
  const names = await jettonNames(node, master, metadata, signal)
  return { address: friendly(master, addressBook, true), ...names }
}

const burnOf = ({ row, addressBook }: BurnRow, jetton: NodeRecord) => ({
  jetton,
  burner: { address: friendly(textOf(row, 'owner'), addressBook, false) },
  transaction: { hash: textOf(row, 'transaction_hash'), time: timeOf(row) },
  amount: amountOf(row),
  comment: burnComment(row['decoded_custom_payload'], row['custom_payload']),
})

/**
 * Returns an address in the form that the upstream's address book recommends, otherwise in the usual form of contracts
 * or wallets.
 */
function friendly(raw: string, addressBook: NodeRecord, bounceable: boolean): string {
  const entry = addressBook[raw]
  const recommended = isRecord(entry) ? entry['user_friendly'] : undefined
  if (typeof recommended === 'string' && recommended !== '') return recommended
  try {
    return Address.parse(raw).toString({ bounceable })
  } catch {
    throw unreadable()
  }
}

function textOf(row: NodeRecord, field: string): string {
  const text = row[field]
  if (typeof text !== 'string' || text === '') throw unreadable()
  return text
}

function timeOf(row: NodeRecord): number {
  const time = row['transaction_now']
  if (!Number.isSafeInteger(time)) throw unreadable()
  return Number(time)
}

function amountOf(row: NodeRecord): string {
  const amount = textOf(row, 'amount')
  if (!/^\d+$/.test(amount)) throw unreadable()
  return amount
}
