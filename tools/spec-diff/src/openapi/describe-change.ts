import type { Json } from '@fairlead/codegen/src/bundle.ts'
import { resolveReference } from '@fairlead/codegen/src/schema-references.ts'
import { shown } from '../change.ts'
import { named, type Operation } from './operations.ts'
import { decodedKey, isBelow, valueAt } from './pointers.ts'
import type { RedoclyChange } from './redocly-diff.ts'
import { componentAt, type Uses } from './uses.ts'

/** One version of a document, with the operations and component uses of it. */
export interface Version {
  readonly document: Json
  readonly uses: Uses
  readonly operations: readonly Operation[]
}

/** The compared versions. */
export type Versions = Readonly<Record<'base' | 'head', Version>>

const maxNames = 3

/** Returns the operation of a change, or the component with the operations that use it. */
export function locationOf(change: RedoclyChange, { base, head }: Versions): string {
  const version = change.revision ? head : base
  const pointer = nodeOf(change)
  const component = componentAt(pointer)
  if (component === undefined) {
    const operation = version.operations.find((candidate) => isBelow(pointer, candidate.pointer))
    if (operation) return named(operation)
    const path = /^#\/paths\/([^/]+)/.exec(pointer)?.[1]
    return path === undefined ? 'document' : decodedKey(path)
  }
  const names = [...new Set((version.uses.get(component) ?? []).map(({ operation }) => operation.name))]
  const name = decodedKey(component.slice(component.lastIndexOf('/') + 1))
  if (names.length === 0) return name
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : ''
  return `${name} (in ${names.slice(0, maxNames).join(', ')}${more})`
}

/** Returns the location of a change in the newer document, or in the older one if it is only there. */
export function pointerOf(change: RedoclyChange): string {
  const pointer = nodeOf(change)
  const isElement = change.property === undefined || change.property === 'key'
  return isElement || pointer.endsWith(`/${change.property}`) ? pointer : `${pointer}/${change.property}`
}

const typeNames: Readonly<Record<string, string>> = {
  Header: 'header',
  MediaType: 'media type',
  Operation: 'operation',
  Parameter: 'parameter',
  ParameterList: 'list of parameters',
  RequestBody: 'request body',
  Response: 'response',
  SecurityRequirement: 'way of authentication',
  SecurityRequirementList: 'authentication',
  Server: 'server',
}

/** Describes a change in a sentence if `redocly diff` does not. */
export function describeChange(change: RedoclyChange, versions: Versions): string {
  const { kind, typeName, property } = change
  const { document } = change.revision ? versions.head : versions.base
  const subject = subjectAt(document, nodeOf(change), property)
  if (kind === 'modified') {
    if (property === 'deprecated')
      return change.revision?.value === true
        ? `${capitalized(subject)} is deprecated.`
        : `${capitalized(subject)} is no longer deprecated.`
    if (property === 'key') return `\`${String(change.base?.value)}\` was renamed.`
    return `\`${property}\` of ${subject} changed.`
  }
  const isProperty = typeName === 'Schema' && /\/properties\/[^/]+$/.test(change.path)
  const kindOfPart = isProperty ? 'property' : typeNames[typeName]
  const isElement = kindOfPart === 'operation' || componentAt(nodeOf(change)) === nodeOf(change)
  const section = /^#\/components\/([^/]+)$/.exec(nodeOf(change))?.[1]
  if (section !== undefined) return `All \`${section}\` of the components were ${kind}.`
  if (isElement) return `${capitalized(subject)} was ${kind}.`
  if (kindOfPart === undefined) return `A part of ${subject} was ${kind}.`
  return typeName.startsWith('Security') || typeName === 'RequestBody' || typeName === 'ParameterList'
    ? `The ${kindOfPart} was ${kind}.`
    : `The ${kindOfPart} ${subject} was ${kind}.`
}

/** Returns the values of a change. Empty for an added or removed part, whose description names it. */
export function valuesOf(change: RedoclyChange): { before?: string; after?: string } {
  if (change.kind !== 'modified') return {}
  const before = change.base?.value
  const after = change.revision?.value
  if (Array.isArray(before) && Array.isArray(after))
    return { before: difference(before, after), after: difference(after, before) }
  return {
    ...(before !== undefined && { before: shown(before) }),
    ...(after !== undefined && { after: shown(after) }),
  }
}

// Of a changed list, only the items that the other list does not have.
function difference(list: readonly unknown[], other: readonly unknown[]): string {
  const unique = list.filter((item) => !other.includes(item))
  return unique.length === list.length ? shown(list) : ['…', ...unique.map(shown)].join(', ')
}

function nodeOf(change: RedoclyChange): string {
  return (change.revision ?? change.base)?.pointer ?? change.path
}

// Returns the nearest named element that contains a pointer.
function subjectAt(document: Json, pointer: string, property: string | undefined): string {
  const keys = pointer.split('/').slice(1)
  if (property !== undefined && keys.at(-1) === property) keys.pop()
  for (let end = keys.length; end > 1; end--) {
    const key = keys[end - 1] ?? ''
    const parent = keys[end - 2]
    if (parent === 'properties' || parent === 'headers' || parent === 'content')
      return `\`${decodedKey(key)}\``
    if (keys[0] === 'components' && end === 3) return `\`${decodedKey(key)}\``
    if (parent === 'parameters') {
      const value = valueAt(document, `#/${keys.slice(0, end).join('/')}`) as Json | undefined
      return `\`${String(value && resolveReference(document, value)['name'])}\``
    }
    if (parent === 'responses') return `response \`${key}\``
    if (key === 'requestBody') return 'the request body'
    if (keys[0] === 'paths' && end === 3) return 'the operation'
    if (keys[0] === 'servers' && end === 2) return `server ${Number(key) + 1}`
  }
  return keys.length === 0 ? 'the document' : `\`${decodedKey(keys.at(-1) ?? '')}\``
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
