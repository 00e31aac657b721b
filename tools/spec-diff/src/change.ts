/** How far a version has to be raised, smallest first. */
export const bumps = ['none', 'patch', 'minor', 'major'] as const

/** How far a version has to be raised. */
export type Bump = (typeof bumps)[number]

/** Whose programs a change affects: clients, servers, or both. */
export type Affected = 'client' | 'server' | 'both' | 'nobody'

/** The table of a report that contains a change. */
export type Category = 'breaking' | 'changed' | 'added' | 'deprecated' | 'words'

/** One difference between two versions of a document. */
export interface Change {
  readonly category: Category
  readonly bump: Bump
  readonly affected: Affected
  /** Operation, method, component or proto element, as a reader would name it. */
  readonly place: string
  /** Location in the document: a JSON pointer, or the name of a proto file. */
  readonly pointer: string
  /** Description of the change. */
  readonly what: string
  readonly before?: string
  readonly after?: string
}

/** Returns the largest of some bumps, or `none`. */
export function highest(candidates: Iterable<Bump>): Bump {
  let largest: Bump = 'none'
  for (const bump of candidates) if (bumps.indexOf(bump) > bumps.indexOf(largest)) largest = bump
  return largest
}

/** Whether the first bump is at least the second one. */
export function covers(bump: Bump, required: Bump): boolean {
  return bumps.indexOf(bump) >= bumps.indexOf(required)
}

/** The table of a change for which only the bump and the kind are known. */
export function categoryOf(bump: Bump, otherwise: Category): Category {
  return bump === 'major' ? 'breaking' : otherwise
}

const maxLength = 80

/** Formats a value of a document for a report: short, on one line. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line
}
