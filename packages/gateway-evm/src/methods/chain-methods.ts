import type { Chain, Method } from '@fairlead/core'
import * as contract from '@fairlead/evm-rpc/contract'
import { costsByMethod } from '@fairlead/gateway-core/usage/units'
import { policies } from '../generated/method-policies.ts'

const { chains = {} } = contract as { readonly chains?: Readonly<Record<string, Chain>> }
const chainByName = new Map(Object.entries(chains))
/** Default chain of a node whose own chain the specification does not define. */
const genericChain = 'evm'

/** Returns a chain's URL path suffix and methods from the specification. */
export function methodsOfChain(name: string): { readonly path: string; readonly methods: readonly Method[] } {
  const methods: readonly Method[] = Object.values(contract.methods)
  const chain = chainByName.get(name) ?? chainByName.get(genericChain)
  if (!chain) return { path: '', methods }
  const offered = new Set(chain.methods)
  return { path: chain.path ?? '', methods: methods.filter((method) => offered.has(method.name)) }
}

/** Costs of methods, for lists of methods and for the count of units. */
export const evmCost = costsByMethod(policies)
