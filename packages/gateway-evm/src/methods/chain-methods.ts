import type { Chain, Method } from '@fairlead/core'
import * as contract from '@fairlead/evm-rpc/contract'

const { chains = {} } = contract as { readonly chains?: Readonly<Record<string, Chain>> }
const chainByName = new Map(Object.entries(chains))
/** The chain of a node whose own chain the contract does not know. */
const genericChain = 'evm'

/** What the contract says about a chain: what follows the credential in the address, and the methods. */
export function methodsOfChain(name: string): { readonly path: string; readonly methods: readonly Method[] } {
  const methods: readonly Method[] = Object.values(contract.methods)
  const chain = chainByName.get(name) ?? chainByName.get(genericChain)
  if (!chain) return { path: '', methods }
  const offered = new Set(chain.methods)
  return { path: chain.path ?? '', methods: methods.filter((method) => offered.has(method.name)) }
}
