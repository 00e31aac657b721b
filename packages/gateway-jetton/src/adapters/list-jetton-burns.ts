import { setImmediate } from 'node:timers/promises'
import { Address } from '@ton/core'
import { isRecord } from '@fairlead/gateway-core/json'
import type { JettonAdapter, JettonCall, NodeUpstreams } from '../upstream/types.ts'
import { burnComment } from './burn-comment.ts'
import { type BurnRow, burnRows } from './burn-rows.ts'
import { jettonNames } from './jetton-names.ts'
import { type JsonRecord, invalidResponse } from './upstream-response.ts'

const maxBlockingMs = 5

/**
 * Returns the burns of a jetton. The indexer filters by another parameter, also lists failed burns and has other
 * fields.
 */
export const listJettonBurns: JettonAdapter = async (call, upstreams) => {
  const burns: JsonRecord[] = []
  // All of them are burns of one jetton.
  let jetton: JsonRecord | undefined
  let tickStart = performance.now()
  for await (const burnRow of burnRows(call, upstreams)) {
    jetton ??= await jettonOf(burnRow, upstreams, call)
    burns.push(burnOf(burnRow, jetton))
    // Parsing comments may take long, and other calls wait meanwhile.
    if (performance.now() - tickStart < maxBlockingMs) continue
    await setImmediate()
    if (call.signal.aborted) throw new DOMException('The call has ended.', 'AbortError')
    tickStart = performance.now()
  }
  return { burns }
}

async function jettonOf(
  { row, addressBook, metadata }: BurnRow,
  upstreams: NodeUpstreams,
  call: JettonCall,
): Promise<JsonRecord> {
  const master = textOf(row, 'jetton_master')
  const names = await jettonNames(upstreams, master, metadata, call)
  return { address: friendlyAddress(master, addressBook, true), ...names }
}

const burnOf = ({ row, addressBook }: BurnRow, jetton: JsonRecord) => ({
  jetton,
  burner: { address: friendlyAddress(textOf(row, 'owner'), addressBook, false) },
  transaction: { hash: textOf(row, 'transaction_hash'), time: timeOf(row) },
  amount: amountOf(row),
  comment: burnComment(row['decoded_custom_payload'], row['custom_payload']),
})

/**
 * Returns an address in the form that the upstream's address book recommends, otherwise in the usual form of contracts
 * or wallets.
 */
function friendlyAddress(raw: string, addressBook: JsonRecord, bounceable: boolean): string {
  const entry = addressBook[raw]
  const recommended = isRecord(entry) ? entry['user_friendly'] : undefined
  if (typeof recommended === 'string' && recommended !== '') return recommended
  try {
    return Address.parse(raw).toString({ bounceable })
  } catch {
    throw invalidResponse()
  }
}

function textOf(row: JsonRecord, field: string): string {
  const text = row[field]
  if (typeof text !== 'string' || text === '') throw invalidResponse()
  return text
}

function timeOf(row: JsonRecord): number {
  const time = row['transaction_now']
  if (!Number.isSafeInteger(time)) throw invalidResponse()
  return Number(time)
}

function amountOf(row: JsonRecord): string {
  const amount = textOf(row, 'amount')
  if (!/^\d+$/.test(amount)) throw invalidResponse()
  return amount
}
