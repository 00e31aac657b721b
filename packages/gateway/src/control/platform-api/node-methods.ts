import type { Chain, Method } from '@fairlead/core'
import * as contract from '@fairlead/evm-rpc/contract'
import type { Units } from '../../access/meter/units.ts'
import type { NodeMethodRecord } from '../records/node-methods.ts'
import type { Success } from './platform-call.ts'

type NodeMethod = Success<'listNodeMethods'>['results'][number]

const transports: readonly NodeMethod['transport'][] = ['http', 'websocket']
const { chains = {} } = contract as { readonly chains?: Readonly<Record<string, Chain>> }
const chainByName = new Map(Object.entries(chains))
/** The chain of a node whose own chain the contract does not know. */
const genericChain = 'evm'

/**
 * Everything that a node of a chain may be called with, by method and transport, with what is recorded of it.
 *
 * @param chain - name of the chain; one that the contract does not know is taken for any EVM chain
 * @param records - what calling the methods has shown
 * @param units - what a call costs
 */
export function nodeMethods(chain: string, records: readonly NodeMethodRecord[], units: Units): NodeMethod[] {
  const recorded = new Map(records.map((record) => [`${record.method} ${record.transport}`, record]))
  const { path, methods } = methodsOfChain(chain)
  return methods
    .flatMap((method) =>
      (method.transports ?? transports).map((transport) => ({ name: method.name, transport })),
    )
    .toSorted((a, b) => compare(a.name, b.name) || compare(a.transport, b.transport))
    .map(({ name, transport }) => {
      const record = recorded.get(`${name} ${transport}`)
      return {
        method: name,
        path,
        transport,
        available: record?.available ?? null,
        units: units('evm', name),
        note: record?.note ?? '',
        latency_ms: record?.latencyMs ?? null,
        probed_at: record?.probedAt ?? null,
      }
    })
}

/** What the contract says about a chain: what follows the credential in the address, and the methods. */
export function methodsOfChain(name: string): { readonly path: string; readonly methods: readonly Method[] } {
  const methods: readonly Method[] = Object.values(contract.methods)
  const chain = chainByName.get(name) ?? chainByName.get(genericChain)
  if (!chain) return { path: '', methods }
  const offered = new Set(chain.methods)
  return { path: chain.path ?? '', methods: methods.filter((method) => offered.has(method.name)) }
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right)
}
