import { aligned } from '../cli/format-response.ts'
import type { Finding } from './finding.ts'

const labels: Readonly<Record<Finding['state'], string>> = {
  ok: 'ok',
  warning: 'warning',
  problem: 'PROBLEM',
}

/** Formats the findings as aligned lines, with each advice below its finding. */
export function formatFindings(findings: readonly Finding[]): string {
  const lines = aligned(findings.map(({ about, state, seen }) => [labels[state], about, seen])).split('\n')
  return findings
    .flatMap(({ advice }, at) => [
      lines[at] ?? '',
      ...(advice === undefined ? [] : [`         -> ${advice}`]),
    ])
    .join('\n')
}
