import type { Json } from '@fairlead/codegen/src/bundle.ts'
import type { Change } from '../change.ts'
import { operationExtensions } from './operation-extensions.ts'
import { isExperimental, named, type Operation, operationsOf, operationsOfPath } from './operations.ts'
import { decodedKey, isBelow, valueAt } from './pointers.ts'
import { rateChange, rateRule, type Rating } from './rate-change.ts'
import { type RedoclyChange, redoclyDiff } from './redocly-diff.ts'
import { componentAt, directionsAt, usesOf } from './uses.ts'
import {
  locationOf,
  pointerOf,
  valuesOf,
  type Version,
  type Versions,
  describeChange,
} from './describe-change.ts'

/**
 * Lists the differences between two bundled OpenAPI documents.
 *
 * @throws Error with the output of `redocly diff`
 */
export async function compareOpenapi(base: Json, head: Json): Promise<readonly Change[]> {
  const versions = { base: versionOf(base), head: versionOf(head) }
  const found = await redoclyDiff(base, head)
  // Changes below a renamed path only repeat the rename.
  const renamed = found.filter(isRenamedPath).map(({ path }) => `${path}/`)
  const changes = found
    .filter(({ path }) => !renamed.some((start) => path.startsWith(start)))
    .filter((change) => !isOperationExtension(change))
    .filter(({ typeName, property }) => !(typeName === 'Info' && property === 'version'))
    .filter((change) => !isRenamedTemplate(change))
    .flatMap((change) => changesOf(change, versions))
  return [...changes, ...operationExtensions(base, head)]
}

function versionOf(document: Json): Version {
  return { document, uses: usesOf(document), operations: operationsOf(document) }
}

function isRenamedPath({ typeName, property, verdicts }: RedoclyChange): boolean {
  return typeName === 'PathItem' && property === 'key' && verdicts.length > 0
}

// Compared separately, because the program detects only added or removed lists of them.
function isOperationExtension(change: RedoclyChange): boolean {
  return /^#\/paths\/[^/]+\/[a-z]+\/x-/.test(pointerOf(change))
}

// `/nodes/{id}` and `/nodes/{node}` are the same path. The change is reported for its parameter.
function isRenamedTemplate({ typeName, property, verdicts }: RedoclyChange): boolean {
  return typeName === 'PathItem' && property === 'key' && verdicts.length === 0
}

function changesOf(change: RedoclyChange, versions: Versions): readonly Change[] {
  if (isRenamedPath(change))
    return [
      ...pathChanges(versions.base, change.base?.pointer, 'removed'),
      ...pathChanges(versions.head, change.revision?.pointer, 'added'),
    ]
  if (change.typeName === 'PathItem' && change.kind !== 'modified')
    return pathChanges(change.kind === 'added' ? versions.head : versions.base, change.path, change.kind)
  const { base, head } = versions
  const directions = new Set([
    ...directionsAt(change.base?.pointer ?? '', base.uses),
    ...directionsAt(change.revision?.pointer ?? '', head.uses),
  ])
  const ratings: readonly (readonly [Rating, string])[] =
    change.verdicts.length > 0
      ? change.verdicts.map((rule) => [rateRule(rule), rule.message] as const)
      : [[rateChange(change, directions), describeChange(change, versions)]]
  const isExperimentalOnly = isExperimentalChange(change, base)
  return ratings.map(([rating, what]) => ({
    ...(isExperimentalOnly && rating.bump === 'major'
      ? { ...rating, bump: 'minor', category: 'changed' }
      : rating),
    place: locationOf(change, versions),
    pointer: pointerOf(change),
    what: isExperimentalOnly && rating.bump === 'major' ? `${what} The operation was experimental.` : what,
    ...valuesOf(change),
  }))
}

function pathChanges(
  { document }: Version,
  pointer: string | undefined,
  kind: 'added' | 'removed',
): readonly Change[] {
  if (pointer === undefined) return []
  const [path = ''] = pointer.slice('#/paths/'.length).split('/')
  const item = valueAt(document, `#/paths/${path}`) as Json
  return operationsOfPath(decodedKey(path), item).map((operation) => ({
    ...operationChange(kind, operation),
    place: named(operation),
    pointer: operation.pointer,
  }))
}

function operationChange(kind: 'added' | 'removed', operation: Operation): Rating & { what: string } {
  if (kind === 'added')
    return { bump: 'minor', category: 'added', affected: 'server', what: 'The operation was added.' }
  if (isExperimental(operation))
    return {
      bump: 'minor',
      category: 'changed',
      affected: 'client',
      what: 'The operation, which was experimental, was removed.',
    }
  return { bump: 'major', category: 'breaking', affected: 'client', what: 'The operation was removed.' }
}

// The contract of an experimental operation may change with any version.
function isExperimentalChange(change: RedoclyChange, { uses, operations }: Version): boolean {
  const pointer = change.base?.pointer ?? change.revision?.pointer ?? ''
  const component = componentAt(pointer)
  const users =
    component === undefined
      ? operations.filter((operation) => isBelow(pointer, operation.pointer))
      : (uses.get(component) ?? []).map(({ operation }) => operation)
  return users.length > 0 && users.every(isExperimental)
}
