import { type Affected, type Bump, type Category, categoryOf } from '../change.ts'
import type { RedoclyChange } from './redocly-diff.ts'
import { componentAt, type Direction } from './uses.ts'

/** The meaning of a change: how far versions have to be raised, and for whom. */
export interface Rating {
  readonly bump: Bump
  readonly category: Category
  readonly affected: Affected
}

// Text for people, and keys by which tools group.
const prose = new Set([
  '$comment',
  'description',
  'example',
  'examples',
  'externalDocs',
  'parent',
  'summary',
  'tags',
  'title',
])
const proseTypes = new Set([
  'Contact',
  'Example',
  'ExamplesMap',
  'ExternalDocs',
  'Info',
  'License',
  'SchemaExamples',
  'Tag',
  'TagGroup',
  'TagList',
])

// The generated types use the names of these components.
const namedSections = /^#\/components\/(schemas|responses|parameters|requestBodies|headers)(\/[^/]+)?$/

const major = (affected: Affected): Rating => ({ bump: 'major', category: 'breaking', affected })
const minor = (affected: Affected, category: Category = 'changed'): Rating => ({
  bump: 'minor',
  category,
  affected,
})

/**
 * Rates a change for which `redocly diff` has no verdict, by our own rules first.
 *
 * @param directions - directions in which data travels at the changed position
 */
export function rateChange(change: RedoclyChange, directions: ReadonlySet<Direction>): Rating {
  const { kind, property, typeName } = change
  const before = change.base?.value
  const after = change.revision?.value
  const pointer = (change.revision ?? change.base)?.pointer ?? change.path
  const inRequest = directions.has('request')
  const component = namedSections.test(change.path)
  if (proseTypes.has(typeName) || (property !== undefined && prose.has(property)))
    return { bump: 'patch', category: 'words', affected: 'nobody' }
  // TypeScript imports the components by name.
  if (component && (kind === 'removed' || property === 'key')) return major('client')
  if (property === 'deprecated')
    return after === true ? minor('client', 'deprecated') : { ...minor('client'), bump: 'patch' }
  if (typeName.startsWith('Security')) return minor('both')
  const ofSchema = typeName === 'Schema' ? rateSchema(change, directions) : undefined
  if (ofSchema) return ofSchema
  // Clients distinguish union members by the discriminator.
  if (/\/discriminator(\/|$)/.test(change.path) && kind !== 'added') return major('both')
  if (typeName === 'Header' && property === 'required' && before === true) return major('client')
  if (typeName === 'RequestBody' && kind === 'added' && isRequired(after)) return major('client')
  // Callers pass path parameters by name.
  if (typeName === 'Parameter' && property === 'name') return major('client')
  if (kind === 'added') return minor(componentAt(pointer) === pointer ? 'nobody' : 'server', 'added')
  return minor(inRequest ? 'server' : 'both')
}

function rateSchema(change: RedoclyChange, directions: ReadonlySet<Direction>): Rating | undefined {
  const { kind, path, property } = change
  const before = change.base?.value
  const after = change.revision?.value
  const inRequest = directions.has('request')
  const inResponse = directions.has('response')
  // The length of a tuple is a part of its type.
  if (/\/prefixItems\/\d+$/.test(path) && kind !== 'modified') return major('both')
  // Servers ignore unknown fields, but for callers that set the field it no longer has an effect.
  if (/\/properties\/[^/]+$/.test(path) && (kind === 'removed' || property === 'key') && inRequest)
    return major('client')
  switch (property) {
    case 'default':
      if (!inRequest) return undefined
      return before === undefined ? minor('both', 'added') : major('both')
    case 'enum':
      return Array.isArray(before) && Array.isArray(after) ? minor('server', 'added') : undefined
    case 'additionalProperties':
      return after === false && inResponse ? major('both') : undefined
    case 'readOnly':
      return after === true && inRequest ? major('client') : undefined
    case 'writeOnly':
      return after === true && inResponse ? major('client') : undefined
    case undefined:
    default:
      return undefined
  }
}

// Values that a client does not know yet are not breaking: the enums of responses are open in its types.
const relaxed: Readonly<Record<string, Rating>> = { 'enum-values-added': minor('both', 'added') }

const concernsBoth = /^(schema-type|schema-constraint|security|enum)/

/** Rates a verdict of `redocly diff`, with our own rule where the verdict is too strict. */
export function rateRule({ ruleId, impact }: RedoclyChange['verdicts'][number]): Rating {
  const override = relaxed[ruleId]
  if (override) return override
  const bump = impact as Bump
  return {
    bump,
    category: categoryOf(bump, 'changed'),
    affected: concernsBoth.test(ruleId) ? 'both' : 'client',
  }
}

function isRequired(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'required' in body && body.required === true
}
