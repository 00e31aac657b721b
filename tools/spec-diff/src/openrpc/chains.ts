import { type ChainFile, methodsOfChain } from '@fairlead/codegen/src/chains.ts'
import type { RpcMethod } from '@fairlead/codegen/src/openrpc-types.ts'
import { type Bump, categoryOf, type Change, shown } from '../change.ts'

/** The chains of a document, with the methods from which they select. */
export interface ChainTable {
  readonly chains: readonly ChainFile[]
  readonly methods: readonly RpcMethod[]
}

/**
 * Returns differences of the chains: added and removed chains, their URLs and networks, and the methods of their nodes.
 */
export function compareChains(base: ChainTable, head: ChainTable): readonly Change[] {
  const before = new Map(base.chains.map((chain) => [chain.chain, chain]))
  const after = new Map(head.chains.map((chain) => [chain.chain, chain]))
  return [
    ...base.chains
      .filter(({ chain }) => !after.has(chain))
      .map(({ chain }) => finding(chain, '', 'major', 'The chain was removed.')),
    ...head.chains.flatMap((chain) => {
      const old = before.get(chain.chain)
      if (!old) return [finding(chain.chain, '', 'minor', 'The chain was added.', true)]
      return [...traits(old, chain), ...methodChanges(old, chain, base.methods, head.methods)]
    }),
  ]
}

function finding(chain: string, key: string, bump: Bump, what: string, isNew = false): Change {
  return {
    bump,
    category: categoryOf(bump, isNew ? 'added' : 'changed'),
    affected: 'both',
    place: `chain ${chain}`,
    pointer: `chains/${chain}.yaml#/${key}`,
    what,
  }
}

function traits(before: ChainFile, after: ChainFile): readonly Change[] {
  const names = new Set([...Object.keys(before.networks), ...Object.keys(after.networks)])
  return [
    ...changed(before, 'path', 'major', 'The path of its URL changed.', before.path, after.path),
    ...changed(
      before,
      'finality',
      'minor',
      'The finality of blocks changed.',
      before.finality,
      after.finality,
    ),
    ...[...names].flatMap((name) => {
      const old = before.networks[name]
      const now = after.networks[name]
      const bump = old === undefined ? 'minor' : 'major'
      return changed(before, `networks/${name}`, bump, `Network \`${name}\` changed.`, old, now)
    }),
  ]
}

function changed(
  { chain }: ChainFile,
  key: string,
  bump: Bump,
  what: string,
  before: unknown,
  after: unknown,
): readonly Change[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  return [
    {
      ...finding(chain, key, bump, what, before === undefined),
      ...(before !== undefined && { before: shown(before) }),
      ...(after !== undefined && { after: shown(after) }),
    },
  ]
}

// A method that was added to or removed from the document is reported there.
function methodChanges(
  before: ChainFile,
  after: ChainFile,
  earlier: readonly RpcMethod[],
  later: readonly RpcMethod[],
): readonly Change[] {
  const { chain } = after
  const was = new Set(methodsOfChain(chain, before.methods, earlier))
  const is = new Set(methodsOfChain(chain, after.methods, later))
  const isInBoth = (name: string) =>
    [earlier, later].every((list) => list.some((method) => method.name === name))
  return [
    ...[...was]
      .filter((name) => !is.has(name) && isInBoth(name))
      .map((name) => finding(chain, 'methods', 'major', `Its nodes no longer offer \`${name}\`.`)),
    ...[...is]
      .filter((name) => !was.has(name) && isInBoth(name))
      .map((name) => finding(chain, 'methods', 'minor', `Its nodes also offer \`${name}\`.`, true)),
  ]
}
