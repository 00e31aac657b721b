import type { Json } from '@fairlead/codegen/src/bundle.ts'
import type { RpcMethod } from '@fairlead/codegen/src/openrpc-types.ts'
import { resolveReference } from '@fairlead/codegen/src/schema-references.ts'
import type { Change } from '../change.ts'

type Finding = Omit<Change, 'place' | 'pointer'>

/** Returns differences of methods that OpenAPI cannot express: errors, transports, availability. */
export function compareMethods(
  base: Json,
  head: Json,
  before: readonly RpcMethod[],
  after: readonly RpcMethod[],
): readonly Change[] {
  const earlier = new Map(before.map((method) => [method.name, method]))
  return after.flatMap((method) => {
    const old = earlier.get(method.name)
    if (!old) return []
    const at = (pointer: string) => (finding: Finding) => ({
      ...finding,
      place: method.name,
      pointer: `#/methods/${method.name}${pointer}`,
    })
    return [
      ...structure(old, method).map(at('/paramStructure')),
      ...names(old, method).map(at('/params')),
      ...errors(errorsOf(base, old), errorsOf(head, method)).map(at('/errors')),
      ...served(old['x-availability'], method['x-availability'], '').map(at('/x-availability')),
      ...transports(old['x-transports'], method['x-transports']).map(at('/x-transports')),
      ...repeated(old, method).map(at('/x-idempotent')),
      ...endpoints(old, method).map(at('/x-endpoints')),
      ...Object.entries(method['x-subscriptions'] ?? {}).flatMap(([kind, subscription]) =>
        served(
          old['x-subscriptions']?.[kind]?.['x-availability'],
          subscription['x-availability'],
          ` for \`${kind}\``,
        ).map(at(`/x-subscriptions/${kind}/x-availability`)),
      ),
    ]
  })
}

function structure(before: RpcMethod, after: RpcMethod): readonly Finding[] {
  const { paramStructure: was = 'either' } = before
  const { paramStructure: is = 'either' } = after
  if (was === is) return []
  const what = 'The parameter structure changed.'
  return is === 'either'
    ? [{ bump: 'minor', category: 'changed', affected: 'server', what, before: was, after: is }]
    : [{ bump: 'major', category: 'breaking', affected: 'both', what, before: was, after: is }]
}

// For parameters by name, the names are properties of the request, which are compared elsewhere.
function names(before: RpcMethod, after: RpcMethod): readonly Finding[] {
  if (after.paramStructure === 'by-name') return []
  return after.params.flatMap(({ name }, index) => {
    const old = before.params[index]?.name
    if (old === undefined || old === name) return []
    const what = `Parameter ${index + 1} has another name.`
    return [{ bump: 'patch', category: 'words', affected: 'nobody', what, before: old, after: name }]
  })
}

function errorsOf(document: Json, method: RpcMethod): ReadonlyMap<string, string> {
  const list = (method['errors'] ?? []) as Json[]
  return new Map(
    list
      .map((error) => resolveReference(document, error))
      .map((error) => [String(error['code']), String(error['message'])]),
  )
}

function errors(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly Finding[] {
  const removed = [...before].filter(([code]) => !after.has(code))
  const added = [...after].filter(([code]) => !before.has(code))
  return [
    ...removed.map(([code, message]): Finding => ({
      bump: 'major',
      category: 'breaking',
      affected: 'client',
      what: `Error \`${code}\` was removed.`,
      before: message,
    })),
    ...added.map(([code, message]): Finding => ({
      bump: 'minor',
      category: 'added',
      affected: 'both',
      what: `Error \`${code}\` was added.`,
      after: message,
    })),
    ...[...after].flatMap(([code, message]): readonly Finding[] => {
      const old = before.get(code)
      if (old === undefined || old === message) return []
      const what = `Error \`${code}\` has another text.`
      return [{ bump: 'patch', category: 'words', affected: 'nobody', what, before: old, after: message }]
    }),
  ]
}

function served(
  before: readonly string[] | undefined,
  after: readonly string[] | undefined,
  context: string,
): readonly Finding[] {
  if (before === undefined || after === undefined) return []
  return lists(
    before,
    after,
    (name) => `No longer served by \`${name}\`${context}.`,
    (name) => `Also served by \`${name}\`${context}.`,
  )
}

const allTransports = ['http', 'websocket']

function transports(
  before: readonly string[] = allTransports,
  after: readonly string[] = allTransports,
): readonly Finding[] {
  return lists(
    before,
    after,
    (name) => `No longer available over \`${name}\`.`,
    (name) => `Also available over \`${name}\`.`,
  )
}

function lists(
  before: readonly string[],
  after: readonly string[],
  removedText: (name: string) => string,
  addedText: (name: string) => string,
): readonly Finding[] {
  const removed = before.filter((name) => !after.includes(name))
  const added = after.filter((name) => !before.includes(name))
  return [
    ...removed.map((name): Finding => ({
      bump: 'major',
      category: 'breaking',
      affected: 'both',
      what: removedText(name),
    })),
    ...added.map((name): Finding => ({
      bump: 'minor',
      category: 'added',
      affected: 'server',
      what: addedText(name),
    })),
  ]
}

function repeated(before: RpcMethod, after: RpcMethod): readonly Finding[] {
  const was = before['x-idempotent'] !== false
  const is = after['x-idempotent'] !== false
  if (was === is) return []
  const what = is ? 'A failed call may now be repeated.' : 'A failed call is no longer repeated.'
  return [{ bump: 'minor', category: 'changed', affected: 'both', what }]
}

function endpoints(before: RpcMethod, after: RpcMethod): readonly Finding[] {
  const was = JSON.stringify(before['x-endpoints'])
  const is = JSON.stringify(after['x-endpoints'])
  if (was === is) return []
  const what = 'The differences between endpoints changed.'
  return [{ bump: 'minor', category: 'changed', affected: 'both', what }]
}
