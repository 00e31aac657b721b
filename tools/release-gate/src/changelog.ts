import type { ChangelogFunctions } from '@changesets/types'
import { specificationHeading } from './changeset-text.ts'

/**
 * Formats changesets as entries of a CHANGELOG.md: one list item each. Below its text follow the specification changes,
 * if the changeset contains them.
 */
const changelog: ChangelogFunctions = {
  getReleaseLine({ summary, commit }) {
    const [text = '', specification] = summary.split(`${specificationHeading}\n`)
    const mark = commit === undefined ? '' : `${commit.slice(0, 7)}: `
    const section = specification === undefined ? '' : `\n\n**Specification**\n\n${specification.trim()}`
    return item(`${mark}${text.trim()}${section}`)
  },
  getDependencyReleaseLine(_, updated) {
    if (updated.length === 0) return ''
    const names = updated.map(({ name, newVersion }) => `${name}@${newVersion}`)
    return item(`Updated dependencies:\n\n${names.map((name) => `- ${name}`).join('\n')}`)
  },
}

function item(text: string): string {
  const [first = '', ...rest] = text.split('\n').map((line) => line.trimEnd())
  return [`- ${first}`, ...rest.map((line) => (line === '' ? '' : `  ${line}`))].join('\n')
}

// oxlint-disable-next-line import/no-default-export -- what changesets looks for
export default changelog
