import type { Chain } from '@fairlead/core'
import * as contract from '@fairlead/evm-rpc/contract'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { adapterOf } from '../adapters/adapters.ts'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import type { SpecifiedMethod } from './method-policy.ts'
import { methodTable } from './method-table.ts'

const chains: Readonly<Record<string, Chain>> = contract.chains
const methodsOf = new Map(Object.entries(chains).map(([name, chain]) => [name, new Set(chain.methods)]))

/** Default chain of a node whose own chain the specification does not define. */
const genericChain = 'evm'
/** The chain that has its own URL path suffix. */
const chainOfPath = Object.keys(chains).find((name) => chains[name]?.path === 'evm') ?? genericChain

/** Finds a method in the specification, whether or not a node offers it. */
export function findMethod(name: string): SpecifiedMethod | undefined {
  return methodTable.get(name)
}

/**
 * Checks that a node offers a method.
 *
 * @param name - as sent by the caller
 * @param found - the method in the specification
 * @param grant - the node
 * @param endpoint - URL path suffix of the call; it determines the chain
 * @throws {@link RpcError} -32601; the message distinguishes an unknown method from one that this node does not offer
 */
export function availableMethod(
  name: string,
  found: SpecifiedMethod | undefined,
  grant: Grant,
  endpoint: '' | 'evm',
): SpecifiedMethod {
  if (!found) throw notFound(`The method${printable(name)} does not exist.`)
  const chain = endpoint === 'evm' ? chainOfPath : grant.chain
  const offered = methodsOf.get(chain) ?? methodsOf.get(genericChain)
  if (offered?.has(name) === false || isWithheld(name, grant)) {
    throw notFound(`This node does not offer ${name}.`)
  }
  return found
}

// A method that an adapter derives needs only the methods that it is derived from.
function isWithheld(name: string, { withheldMethods }: Grant): boolean {
  if (withheldMethods?.includes(name) !== true) return false
  const { derivedFrom } = adapterOf(name) ?? {}
  return !derivedFrom || derivedFrom.some((needed) => withheldMethods.includes(needed))
}

function notFound(message: string): RpcError {
  return new RpcError(rpcCodes.methodNotFound, message)
}

// Only a name in the form of a method is repeated: a token in the wrong place has no namespace.
function printable(name: string): string {
  return /^[a-z][a-z0-9]{0,15}_[A-Za-z0-9]{1,48}$/.test(name) ? ` ${name}` : ''
}
