import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { streamReport, type UsageQuery, type UsageReportRow } from '../records/usage-report.ts'
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

// Bounds how long a slow client can hold a database connection.
const maxMs = 600_000

/**
 * Streams a whole report as CSV (RFC 4180, with a header line), at the speed of the reader.
 *
 * The stream ends after the database is released: a caller that has read it can start the next export at once.
 *
 * @param ended - called once, when the export no longer uses the database
 * @returns the stream, once the database has prepared the report
 */
export function exportUsage(
  withSession: Store['withSession'],
  query: Omit<UsageQuery, 'limit' | 'offset'>,
  ended: () => void,
): Promise<Readable> {
  return new Promise((resolve, reject) => {
    const csv = createCsvStream(columns)
    // A reader of the stream sees it fail; a caller that still waits for the stream gets the error.
    csv.on('error', reject)
    const signal = AbortSignal.timeout(maxMs)
    withSession((session) =>
      pipeline(rowsOf(streamReport(session, query, () => resolve(csv))), csv, { signal, end: false }),
    )
      .finally(ended)
      .then(
        () => csv.end(),
        (error: Error) => csv.destroy(error),
      )
  })
}

async function* rowsOf(report: AsyncIterable<readonly UsageReportRow[]>): AsyncGenerator<UsageReportRow> {
  for await (const rows of report) yield* rows
}
