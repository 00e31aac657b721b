import type { Json } from '@fairlead/codegen/src/bundle.ts'
import type { ChainFile } from '@fairlead/codegen/src/chains.ts'
import { methodsOf, type RpcMethod } from '@fairlead/codegen/src/openrpc-types.ts'
import type { Change } from '../change.ts'
import { compareOpenapi } from '../openapi/compare-openapi.ts'
import { decodedKey } from '../openapi/pointers.ts'
import { compareChains } from './chains.ts'
import { compareMethods } from './methods.ts'
import { parameterKey, projected } from './projection.ts'

/** A bundled OpenRPC document and its chains. */
export interface OpenrpcVersion {
  readonly document: Json
  readonly chains: readonly ChainFile[]
}

/**
 * Lists the differences between two bundled OpenRPC documents.
 *
 * @throws Error with the output of `redocly diff`
 */
export async function compareOpenrpc(base: OpenrpcVersion, head: OpenrpcVersion): Promise<readonly Change[]> {
  const before = methodsOf(base.document)
  const after = methodsOf(head.document)
  const changes = await compareOpenapi(projected(base.document, before), projected(head.document, after))
  const names = parameterNames([...before, ...after])
  return [
    ...changes.map((change) => inMethods(change, names)),
    ...compareMethods(base.document, head.document, before, after),
    ...compareChains({ chains: base.chains, methods: before }, { chains: head.chains, methods: after }),
  ]
}

// The parameter names of each method, by their key in the projection.
type ParameterNames = ReadonlyMap<string, ReadonlyMap<string, string>>

function parameterNames(methods: readonly RpcMethod[]): ParameterNames {
  const names = new Map<string, Map<string, string>>()
  for (const method of methods) {
    const ofMethod = names.get(method.name) ?? new Map<string, string>()
    for (const [index, { name }] of method.params.entries()) ofMethod.set(parameterKey(method, index), name)
    names.set(method.name, ofMethod)
  }
  return names
}

// Translates terms of the projection back to those of the document.
function inMethods(change: Change, names: ParameterNames): Change {
  const place = change.place.replaceAll(/POST \/(\S+?)(?: \([^)]*\))?(?=$|[,) ])/g, methodName)
  const match = /^#\/paths\/([^/]+)\/post(.*)$/.exec(change.pointer)
  if (!match) return { ...change, place }
  const path = decodedKey(match[1] ?? '').slice(1)
  const [method = '', part, detail] = path.split('/')
  const rest = (match[2] ?? '')
    .replace('/requestBody/content/application~1json/schema', part === undefined ? '/params' : '/options')
    .replace('/responses/200/content/application~1json/schema', '/result')
    .replace('/params/properties/', '/params/')
  const inner = part === undefined ? '' : `/x-${part}s/${detail}`
  return {
    ...change,
    place: methodName('', path),
    pointer: `#/methods/${method}${inner}${rest}`,
    what: withParameterNames(change.what, names.get(method)),
  }
}

function methodName(_: string, path: string): string {
  const [method = '', part, ...detail] = path.split('/')
  return part === undefined ? method : `${method} ${detail.join('/')}`
}

function withParameterNames(text: string, names: ReadonlyMap<string, string> | undefined): string {
  return text
    .replaceAll('the operation', 'the method')
    .replaceAll('The operation', 'The method')
    .replaceAll('response `200`', 'the result')
    .replaceAll('The property `p', 'The parameter `p')
    .replaceAll(/`(p\d+)`/g, (quoted, key: string) => {
      const name = names?.get(key)
      return name === undefined ? quoted : `\`${name}\``
    })
}
