import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { readWholeReport, type UsageQuery, type UsageReportRow } from '../records/usage-report.ts'
import type { Store } from '../store/open-store.ts'
import { createCsvStream } from './csv.ts'

const columns = [
  'datetime',
  'protocol',
  'node_id',
  'node_name',
  'network',
  'method',
  'credential_id',
  'requests',
  'failed_requests',
  'request_units',
  'bytes_in',
  'bytes_out',
  'timed_requests',
  'duration_ms',
] as const satisfies readonly (keyof UsageReportRow)[]

// A client that takes longer keeps a connection to the database from others.
const longestMs = 600_000

/**
 * Writes a whole report as CSV (RFC 4180, with a header line), as fast as it is read.
 *
 * @param ended - called once, when it holds nothing any more
 * @returns the text, when the database has put the report together
 */
export function exportUsage(
  withSession: Store['withSession'],
  query: Omit<UsageQuery, 'limit' | 'offset'>,
  ended: () => void,
): Promise<Readable> {
  return new Promise((resolve, reject) => {
    const csv = createCsvStream(columns)
    const signal = AbortSignal.timeout(longestMs)
    withSession((session) =>
      pipeline(rowsOf(readWholeReport(session, query, () => resolve(csv))), csv, { signal }),
    )
      // Whoever reads sees the stream break off; whoever still waits for it hears why.
      .catch(reject)
      .finally(ended)
  })
}

async function* rowsOf(report: AsyncIterable<readonly UsageReportRow[]>): AsyncGenerator<UsageReportRow> {
  for await (const rows of report) yield* rows
}
