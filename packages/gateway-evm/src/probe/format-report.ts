import type { Outcome } from './classify-response.ts'
import type { ProbeReport } from './probe-methods.ts'

/** A report that may be published. It contains no secrets. */
export interface PublicReport {
  readonly node: {
    readonly clientVersion: string | null
    readonly chainId: string | null
    /** Scheme and host. */
    readonly host: string
  }
  /** Number of calls by outcome. */
  readonly totals: Readonly<Record<Outcome, number>>
  readonly methods: readonly {
    readonly method: string
    readonly transport: string
    readonly outcome: Outcome
    /** Kind of the response, when it was not a plain result. */
    readonly note: string
    readonly code: number | null
    /** Error message of the upstream. */
    readonly message: string
    readonly latencyMs: number | null
  }[]
}

/**
 * Converts a report to its public form.
 *
 * @param report - result of the probe
 * @param host - scheme and host of the upstream
 * @param clean - removes secrets from a text of the upstream
 */
export function publicReport(
  { sample, findings }: ProbeReport,
  host: string,
  clean: (text: string) => string,
): PublicReport {
  const totals = { available: 0, missing: 0, refused: 0, failed: 0, skipped: 0 }
  for (const { outcome } of findings) totals[outcome] += 1
  return {
    node: {
      clientVersion: sample.clientVersion === undefined ? null : clean(sample.clientVersion),
      chainId: sample.chainId === undefined ? null : clean(sample.chainId),
      host,
    },
    totals,
    methods: findings.map(({ method, transport, outcome, note, code, message, latencyMs }) => ({
      method,
      transport,
      outcome,
      note,
      code: code ?? null,
      message: clean(message),
      latencyMs: latencyMs ?? null,
    })),
  }
}

/** Formats the report as one JSON object on several lines. */
export function formatJson(report: PublicReport): string {
  return JSON.stringify(report, undefined, 2)
}

/** Formats the report as a Markdown table, one row per method. */
export function formatMarkdown(report: PublicReport): string {
  const [heading = [], ...rows] = cells(report)
  const escaped = rows.map((row) => row.map((cell) => cell.replaceAll(/[\\|<>`*_]/g, String.raw`\$&`)))
  const line = (row: readonly string[]) => `| ${row.join(' | ')} |`
  return [
    summary(report)
      .join('  \n')
      .replaceAll(/[<>`*_]/g, String.raw`\$&`),
    '',
    line(heading),
    line(heading.map(() => '---')),
    ...escaped.map(line),
  ].join('\n')
}

/** Formats the report as aligned columns, one line per method. */
export function formatTable(report: PublicReport): string {
  const rows = cells(report)
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return [...summary(report), '', ...lines].join('\n')
}

function summary({ node, totals }: PublicReport): string[] {
  const counts = Object.entries(totals).flatMap(([outcome, count]) =>
    count > 0 ? [`${count} ${outcome}`] : [],
  )
  const client = node.clientVersion ?? 'unknown client'
  return [`${node.host}: ${client}, chain ${node.chainId ?? 'unknown'}`, counts.join(', ')]
}

function cells({ methods }: PublicReport): string[][] {
  const transports = [...new Set(methods.map(({ transport }) => transport))].toSorted()
  const names = [...new Set(methods.map(({ method }) => method))]
  const rows = names.map((name) => {
    const found = methods.filter(({ method }) => method === name)
    const outcomes = transports.map((transport) =>
      shortResponse(found.find((finding) => finding.transport === transport)),
    )
    const annotations = new Set(found.map(annotationOf))
    return [name, ...outcomes, [...annotations].filter((text) => text !== '').join('; ')]
  })
  return [['method', ...transports, 'note'], ...rows]
}

// The outcome is sufficient for a missing method. Every upstream has a different message for it.
function annotationOf({ outcome, note, message }: PublicReport['methods'][number]): string {
  return message === '' || outcome === 'missing' ? note : `${note}: ${message}`
}

const labels: Readonly<Record<Outcome, string>> = {
  available: 'yes',
  missing: 'no',
  refused: 'refused',
  failed: 'failed',
  skipped: 'skipped',
}

function shortResponse(finding: PublicReport['methods'][number] | undefined): string {
  if (!finding) return '-'
  const { outcome, code, latencyMs } = finding
  return [
    labels[outcome],
    ...(outcome === 'available' && latencyMs !== null ? [`${latencyMs} ms`] : []),
    ...(code === null ? [] : [String(code)]),
  ].join(' ')
}
