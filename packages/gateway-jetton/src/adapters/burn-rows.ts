import { isRecord } from '@fairlead/gateway-core/json'
import type { JettonCall, NodeUpstreams } from '../upstream/types.ts'
import { JettonError } from '../jetton-error.ts'
import { type JsonRecord, recordOf, invalidResponse } from './upstream-response.ts'

/** Maximum page size of an indexer. */
const maxPageSize = 1000

/**
 * Maximum number of rows to skip. So far no jetton has this many failed burns, and the list of a faulty upstream may
 * never end.
 */
const maxSkippedRows = 100_000

/** A burn as the indexer returns it, with the addresses and token metadata of the same response. */
export interface BurnRow {
  readonly row: JsonRecord
  readonly addressBook: JsonRecord
  readonly metadata: JsonRecord
}

/**
 * Reads the burns of a page from consecutive parts of the indexer's list.
 *
 * The indexer also lists and counts failed burns, so the offset of a row differs from its offset among the successful
 * burns. Therefore every read starts at the first row. In descending order, burns that happen meanwhile shift the other
 * rows back. Rows that repeat are recognized by their transaction.
 *
 * @throws JettonError 422 when too many burns failed; otherwise as {@link recordOf}, and for rows that cannot be read
 */
export async function* burnRows(
  { parameters, tenant, signal }: JettonCall,
  upstreams: NodeUpstreams,
): AsyncGenerator<BurnRow, void, void> {
  const { address, limit, offset, sort, start_utime, end_utime } = parameters as {
    readonly address: string
    readonly limit: number
    readonly offset: number
    readonly sort: string
    readonly start_utime?: number
    readonly end_utime?: number
  }
  const end = offset + limit
  const seen = new Set<string>()
  let rowOffset = 0
  let burns = 0
  while (burns < end) {
    // Requests at least as many rows as were read so far, so that a run of failed burns does not cause a run of
    // requests.
    const size = Math.min(maxPageSize, Math.max(end - burns, rowOffset))
    const query = { jetton_master: address, limit: size, offset: rowOffset, sort, start_utime, end_utime }
    const body = recordOf(
      await upstreams.request({ family: 'v3', method: 'GET', path: '/jetton/burns', query, tenant, signal }),
    )
    const rows = rowsOf(body)
    for (const row of rows) {
      const key = `${String(row['transaction_hash'])} ${String(row['transaction_lt'])}`
      if (row['transaction_aborted'] === true || seen.has(key)) continue
      addRecent(seen, key)
      burns += 1
      if (burns <= offset || burns > end) continue
      yield { row, addressBook: memberOf(body, 'address_book'), metadata: memberOf(body, 'metadata') }
    }
    if (rows.length < size) break
    rowOffset += rows.length
    if (rowOffset > burns + maxSkippedRows) throw tooManySkipped()
  }
}

function tooManySkipped(): JettonError {
  const advice = 'set start_utime or end_utime to skip them'
  return new JettonError(422, `There are more than ${maxSkippedRows} failed burns in this range; ${advice}.`)
}

// Only the last rows can repeat.
function addRecent(seen: Set<string>, key: string): void {
  seen.add(key)
  if (seen.size <= 2 * maxPageSize) return
  const [oldest] = seen
  if (oldest !== undefined) seen.delete(oldest)
}

// An indexer returns null for an empty list.
function rowsOf(body: JsonRecord): readonly JsonRecord[] {
  const rows = body['jetton_burns'] === null ? [] : body['jetton_burns']
  if (!Array.isArray(rows) || !rows.every(isRecord)) throw invalidResponse()
  return rows
}

function memberOf(body: JsonRecord, name: string): JsonRecord {
  const member = body[name]
  return isRecord(member) ? member : {}
}
