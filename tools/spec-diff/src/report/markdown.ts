import type { Category, Change } from '../change.ts'
import type { DocumentReport, FamilyReport } from '../compare-specs.ts'

const titles: readonly (readonly [Category, string])[] = [
  ['breaking', 'Breaking'],
  ['changed', 'Changed'],
  ['added', 'Added'],
  ['deprecated', 'Deprecated'],
]

/** The content of a report without changes. */
export const nothingChanged = 'No specification changed.'

/** Formats the report of a comparison as Markdown: a heading per changed family, and tables of its changes. */
export function markdownReport(families: readonly FamilyReport[]): string {
  const changed = families.filter(({ bump }) => bump !== 'none')
  if (changed.length === 0) return `# Specification changes\n\n${nothingChanged}\n`
  return `# Specification changes\n\n${changed.map(familySection).join('\n')}`
}

/** Formats the tables of one family, without a heading. */
export function familyTables({ documents }: FamilyReport): string {
  const changed = documents.filter(({ changes }) => changes.length > 0)
  return changed.map((document) => documentSection(document, changed.length > 1)).join('\n')
}

function familySection(report: FamilyReport): string {
  const bumps = { none: 'no change', patch: 'patch', minor: 'minor', major: '**major**' }
  return `## ${report.family}: ${bumps[report.bump]}\n\n${familyTables(report)}`
}

function documentSection({ name, entry, version, changes }: DocumentReport, hasSiblings: boolean): string {
  const versions =
    version.base === undefined || version.head === undefined
      ? ''
      : version.base === version.head
        ? `, version ${version.head} as before`
        : `, version ${version.base} to ${version.head}`
  const heading = `${hasSiblings ? `### ${name}\n\n` : ''}\`specs/${entry}\`${versions}\n`
  const sections = titles.map(([category, title]) => table(title, changes.filter(inTable(category))))
  const parts = [heading, ...sections, newComponents(changes), textChanges(changes)]
  return parts.filter((part) => part !== '').join('\n')
}

const isNewComponent = ({ category, pointer }: Change): boolean =>
  category === 'added' && /^#\/components\/[^/]+\/[^/]+$/.test(pointer)

function inTable(category: Category): (change: Change) => boolean {
  return (change) => change.category === category && !isNewComponent(change)
}

function table(title: string, changes: readonly Change[]): string {
  if (changes.length === 0) return ''
  const rows = changes.map(({ place, pointer, what, before, after, affected }) => {
    const values =
      before === undefined && after === undefined
        ? ''
        : ` ${code(before) || 'nothing'} → ${code(after) || 'nothing'}`
    const location = pointer === '' ? cell(place) : `${cell(place)}<br>${code(pointer)}`
    return `| ${location} | ${cell(what)}${values} | ${affected} |`
  })
  return `**${title}**\n\n| where | what | affects |\n| --- | --- | --- |\n${rows.join('\n')}\n`
}

// These are described at the places that use them.
function newComponents(changes: readonly Change[]): string {
  const names = changes.filter(isNewComponent).map(({ pointer }) => code(pointer.replace(/.*\//, '')))
  return names.length === 0 ? '' : `New components: ${names.join(', ')}.\n`
}

function textChanges(changes: readonly Change[]): string {
  const count = changes.filter(({ category }) => category === 'words').length
  if (count === 0) return ''
  return `Words, examples and tags changed in ${count === 1 ? 'one place' : `${count} places`}.\n`
}

function cell(text: string): string {
  return text
    .replaceAll('|', String.raw`\|`)
    .replaceAll('<', '&lt;')
    .replaceAll(/\s+/g, ' ')
}

function code(text: string | undefined): string {
  if (text === undefined || text === '') return ''
  return `\`${text
    .replaceAll('|', String.raw`\|`)
    .replaceAll('`', "'")
    .replaceAll(/\s+/g, ' ')}\``
}
