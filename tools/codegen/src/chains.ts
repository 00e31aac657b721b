import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse } from 'yaml'
import type { RpcMethod } from './openrpc-types.ts'

/** A file of `chains/` next to an OpenRPC document. */
export interface ChainFile {
  readonly chain: string
  readonly path: string | null
  readonly networks: Readonly<Record<string, string>>
  readonly finality: { readonly model: string }
  readonly methods: ChainMethods
}

/**
 * The methods that the hosted nodes of a chain offer: all methods with one of the tags, except some, plus additional
 * ones.
 */
export interface ChainMethods {
  readonly tags: readonly string[]
  readonly withhold?: readonly string[]
  readonly add?: readonly string[]
}

/** Reads the chains next to a document, sorted by name. Empty if it has no such folder. */
export function readChains(entry: string): readonly ChainFile[] {
  const folder = join(dirname(entry), 'chains')
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .toSorted()
    .map((file) => parse(readFileSync(join(folder, file), 'utf8')) as ChainFile)
}

/**
 * Returns the names of the methods that a chain's nodes offer, sorted.
 *
 * @throws Error naming a tag or method that the document does not have
 */
export function methodsOfChain(
  chain: string,
  { tags, withhold = [], add = [] }: ChainMethods,
  methods: readonly RpcMethod[],
): readonly string[] {
  const tagsOf = ({ tags: entries = [] }: RpcMethod) => entries.map(({ name }) => name)
  const known = new Set(methods.flatMap((method) => [method.name, ...tagsOf(method)]))
  const unknown = [...tags, ...withhold, ...add].filter((name) => !known.has(name))
  if (unknown.length > 0) throw new Error(`chain ${chain}: no method or tag is named ${unknown.join(', ')}`)
  return methods
    .filter((method) => add.includes(method.name) || tagsOf(method).some((tag) => tags.includes(tag)))
    .map(({ name }) => name)
    .filter((name) => !withhold.includes(name))
}
