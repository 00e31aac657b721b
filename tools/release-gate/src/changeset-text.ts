import type { Bump, FamilyReport } from '@fairlead/spec-diff'
import type { Reason } from './reason.ts'

/** The heading in a changeset above the changes of a specification. */
export const specificationHeading = '#### Specification'

const maxItems = 20

/**
 * Returns the text of a changeset about a changed specification: a placeholder sentence, and the content of the report.
 */
export function specificationText({ family, bump, documents }: FamilyReport): string {
  const sentence = {
    none: '',
    patch: `Corrected the descriptions of the ${family} API.`,
    minor: `Extended the ${family} API.`,
    major: `**Breaking:** Changed the ${family} API.`,
  }[bump]
  const changes = documents.flatMap((document) => document.changes)
  const listed = (['breaking', 'changed', 'deprecated'] as const).flatMap((category) =>
    changes.filter((change) => change.category === category),
  )
  const lines = listed.map(({ category, place, what, before, after }) => {
    const values = before === undefined && after === undefined ? '' : ` ${value(before)} → ${value(after)}`
    return `- ${title(category)}: ${place}: ${what}${values}`
  })
  const added = [
    ...new Set(
      changes
        .filter((change) => change.category === 'added')
        .filter(isNamed)
        .map(({ place }) => place),
    ),
  ]
  if (added.length > 0) lines.push(`- Added: ${shortened(added)}`)
  return lines.length === 0 ? sentence : `${sentence}\n\n${specificationHeading}\n\n${lines.join('\n')}`
}

// New components are listed with the operations that use them.
function isNamed({ pointer }: { readonly pointer: string }): boolean {
  return !pointer.startsWith('#/components/')
}

/** Returns the text of a changeset about a package whose specification did not change: a placeholder sentence. */
export function packageText(bump: Bump, reasons: readonly Reason[]): string {
  const start = reasons.some((reason) => reason.bump === 'major') ? '**Breaking:** ' : ''
  const listed = reasons.filter((reason) => reason.bump === 'major' || reason.bump === bump)
  return `${start}${shortened(
    listed.map(({ description }) => description),
    ' ',
  )}`
}

function shortened(items: readonly string[], separator = ', '): string {
  const more = items.length > maxItems ? `${separator}and ${items.length - maxItems} more` : ''
  return `${items.slice(0, maxItems).join(separator)}${more}`
}

function value(text: string | undefined): string {
  return text === undefined ? 'nothing' : `\`${text.replaceAll('`', "'")}\``
}

function title(category: string): string {
  return category.charAt(0).toUpperCase() + category.slice(1)
}
