import { plannedChangesets } from './planned-changesets.ts'
import type { GateResult } from './gate.ts'

const maxReasons = 8

/** Describes the requirements of a verdict, with the changesets to write. */
export function explainProblems(result: GateResult): string {
  const { shortfalls, lowVersions, problems } = result
  const packages = shortfalls.map(({ name, bump, announced, reasons }) => {
    const state =
      announced === 'none' ? 'no new changeset contains it' : `the changesets announce ${announced}`
    const lines = reasons.slice(0, maxReasons).map((reason) => `  ${reason.bump}: ${reason.description}`)
    const more = reasons.length > maxReasons ? [`  and ${reasons.length - maxReasons} more`] : []
    return [`${name} needs a ${bump} bump, but ${state}:`, ...lines, ...more].join('\n')
  })
  const versions = lowVersions.map(
    ({ file, version, required }) => `${file} is version ${version} and must be at least ${required}.`,
  )
  const texts = plannedChangesets(result).map(
    ({ releases, summary }) =>
      `---\n${releases.map(({ name, type }) => `'${name}': ${type}`).join('\n')}\n---\n\n${summary}\n`,
  )
  const files =
    texts.length === 0
      ? []
      : [`Write into .changeset/, for users, or run with --fix to create it:\n\n${texts.join('\n')}`]
  return `${[...packages, ...versions, ...problems, ...files].join('\n\n')}\n`
}

/** Returns one line about the changes that are announced correctly. */
export function describeSuccess({ requirements }: GateResult): string {
  if (requirements.length === 0) return 'No published package changed.\n'
  const list = requirements.map(({ name, bump }) => `${name} ${bump}`).join(', ')
  return `Changesets and versions cover all changes: ${list}.\n`
}
