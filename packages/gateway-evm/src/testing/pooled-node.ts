import { onTestFinished } from 'vitest'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { MemoryLedger } from '@fairlead/gateway-core/memory/memory-ledger'
import { createEvmUpstreams, type PooledOptions, type EvmUpstreams } from '../upstream/evm-upstreams.ts'
import { ownCall } from '../upstream/own-call.ts'
import type { Call } from '../call.ts'
import type { ChainView } from '../chain/chain-view.ts'
import type { UpstreamState } from '@fairlead/gateway-core/upstream/pool-member'

/** Several upstreams as one node. */
export interface PooledNode {
  /** Returns the result, or throws the failure of the pool or an error with the upstream's code and message. */
  call(method: string, params?: readonly unknown[], overrides?: Partial<Call>): Promise<unknown>
  states(): readonly UpstreamState[]
  /** Returns a new view on each call, so that the test itself does not keep the health check active. */
  chain(): ChainView
  readonly upstreams: EvmUpstreams
  readonly grant: Grant
}

/** Opens a node for a text of upstream URLs, until the running test ends. */
export function pooledNode(
  addresses: string,
  { timeoutMs = 20_000, ...options }: PooledOptions & { readonly timeoutMs?: number } = {},
): PooledNode {
  const memory = new MemoryLedger(2 ** 29)
  const upstreams = createEvmUpstreams(timeoutMs, {}, new MemoryLedger(2 ** 29), { pollMs: 50, ...options })
  onTestFinished(() => upstreams.close())
  const grant: Grant = {
    credentialId: 'credential',
    kind: 'token',
    nodeId: 'node',
    projectId: 'project',
    organizationId: 'organization',
    chain: 'evm',
    network: 'devnet',
    protocols: ['evm'],
    upstreams: { evm: addresses },
  }
  const upstream = upstreams.of(grant, 'evm')
  return {
    upstreams,
    grant,
    states: () => upstreams.states(),
    chain: () => upstreams.chainOf(grant),
    call: async (method, params = [], overrides = {}) => {
      const signal = AbortSignal.timeout(timeoutMs)
      const response = await upstream.post({ ...ownCall(method, params, signal), ...overrides })
      const reservation = memory.reserve(undefined, 'response')
      const text = await response.readText(reservation, signal)
      reservation.release()
      const { result, error } = JSON.parse(text) as {
        result?: unknown
        error?: { code: number; message: string }
      }
      if (error) throw Object.assign(new Error(error.message), { code: error.code })
      return result
    },
  }
}
