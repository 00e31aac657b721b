import { plannedChangesets } from './planned-changesets.ts'
import type { Verdict } from './gate.ts'

const mostReasons = 8

/** Describes the requirements of a verdict, with the changesets to write. */
export function explained(verdict: Verdict): string {
  const { shortfalls, lowVersions, others } = verdict
  const packages = shortfalls.map(({ name, bump, announced, reasons }) => {
    const state = announced === 'none' ? 'no new changeset names it' : `the changesets ask for ${announced}`
    const lines = reasons.slice(0, mostReasons).map((reason) => `  ${reason.bump}: ${reason.what}`)
    const more = reasons.length > mostReasons ? [`  and ${reasons.length - mostReasons} more`] : []
    return [`${name} needs a ${bump} bump, but ${state}:`, ...lines, ...more].join('\n')
  })
  const versions = lowVersions.map(
    ({ file, version, required }) => `${file} is version ${version} and must be at least ${required}.`,
  )
  const texts = plannedChangesets(verdict).map(
    ({ releases, summary }) =>
      `---\n${releases.map(({ name, type }) => `'${name}': ${type}`).join('\n')}\n---\n\n${summary}\n`,
  )
  const files =
    texts.length === 0
      ? []
      : [`Write into .changeset/, in words for users, or let --fix begin it:\n\n${texts.join('\n')}`]
  return `${[...packages, ...versions, ...others, ...files].join('\n\n')}\n`
}

/** Returns one line about the changes that are announced correctly. */
export function covered({ requirements }: Verdict): string {
  if (requirements.length === 0) return 'Nothing that is published changed.\n'
  const list = requirements.map(({ name, bump }) => `${name} ${bump}`).join(', ')
  return `Changesets and versions cover what changed: ${list}.\n`
}
