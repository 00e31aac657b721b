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

const mostNamed = 3

/** Returns the operation of a change, or the component with the operations that use it. */
export function placeOf(change: RedoclyChange, { base, head }: Versions): string {
  const version = change.revision ? head : base
  const pointer = nodeOf(change)
  const component = componentAt(pointer)
  if (component === undefined) {
    const operation = version.operations.find((one) => isBelow(pointer, one.pointer))
    if (operation) return named(operation)
    const path = /^#\/paths\/([^/]+)/.exec(pointer)?.[1]
    return path === undefined ? 'document' : decodedKey(path)
  }
  const names = [...new Set((version.uses.get(component) ?? []).map(({ operation }) => operation.name))]
  const name = decodedKey(component.slice(component.lastIndexOf('/') + 1))
  if (names.length === 0) return name
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : ''
  return `${name} (in ${names.slice(0, mostNamed).join(', ')}${more})`
}

/** Returns the location of a change in the newer document, or in the older one if it is only there. */
export function pointerOf(change: RedoclyChange): string {
  const pointer = nodeOf(change)
  const isWhole = change.property === undefined || change.property === 'key'
  return isWhole || pointer.endsWith(`/${change.property}`) ? pointer : `${pointer}/${change.property}`
}

const typeNames: Readonly<Record<string, string>> = {
  Header: 'header',
  MediaType: 'media type',
  Operation: 'operation',
  Parameter: 'parameter',
  ParameterList: 'list of parameters',
  RequestBody: 'request body',
  Response: 'answer',
  SecurityRequirement: 'way of authentication',
  SecurityRequirementList: 'authentication',
  Server: 'server',
}

/** Describes a change in a sentence if `redocly diff` does not. */
export function wordsFor(change: RedoclyChange, versions: Versions): string {
  const { kind, typeName, property } = change
  const { document } = change.revision ? versions.head : versions.base
  const subject = subjectAt(document, nodeOf(change), property)
  if (kind === 'modified') {
    if (property === 'deprecated')
      return change.revision?.value === true
        ? `${capital(subject)} is deprecated.`
        : `${capital(subject)} is no longer deprecated.`
    if (property === 'key') return `\`${String(change.base?.value)}\` was renamed.`
    return `\`${property}\` of ${subject} changed.`
  }
  const isProperty = typeName === 'Schema' && /\/properties\/[^/]+$/.test(change.path)
  const what = isProperty ? 'property' : typeNames[typeName]
  const isWhole = what === 'operation' || componentAt(nodeOf(change)) === nodeOf(change)
  const section = /^#\/components\/([^/]+)$/.exec(nodeOf(change))?.[1]
  if (section !== undefined) return `All \`${section}\` of the components were ${kind}.`
  if (isWhole) return `${capital(subject)} was ${kind}.`
  if (what === undefined) return `A part of ${subject} was ${kind}.`
  return typeName.startsWith('Security') || typeName === 'RequestBody' || typeName === 'ParameterList'
    ? `The ${what} was ${kind}.`
    : `The ${what} ${subject} was ${kind}.`
}

/** Returns the values of a change. Empty for an added or removed part, whose description names it. */
export function valuesOf(change: RedoclyChange): { before?: string; after?: string } {
  if (change.kind !== 'modified') return {}
  const before = change.base?.value
  const after = change.revision?.value
  if (Array.isArray(before) && Array.isArray(after))
    return { before: otherThan(before, after), after: otherThan(after, before) }
  return {
    ...(before !== undefined && { before: shown(before) }),
    ...(after !== undefined && { after: shown(after) }),
  }
}

// Of a changed list, only the items that the other list does not have.
function otherThan(list: readonly unknown[], other: readonly unknown[]): string {
  const own = list.filter((item) => !other.includes(item))
  return own.length === list.length ? shown(list) : ['…', ...own.map(shown)].join(', ')
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
    if (parent === 'responses') return `answer \`${key}\``
    if (key === 'requestBody') return 'the request body'
    if (keys[0] === 'paths' && end === 3) return 'the operation'
    if (keys[0] === 'servers' && end === 2) return `server ${Number(key) + 1}`
  }
  return keys.length === 0 ? 'the document' : `\`${decodedKey(keys.at(-1) ?? '')}\``
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}
