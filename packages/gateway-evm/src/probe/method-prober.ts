import type { MethodProber } from '@fairlead/gateway-core/protocol/method-availability'
import type { Logger } from 'pino'
import type { EvmUpstreams } from '../upstream/evm-upstreams.ts'
import { probeNode } from './probe-node.ts'
import { readIdentity } from './read-identity.ts'

/** @param timeoutMs - timeout for one response */
export function createMethodProber(upstreams: EvmUpstreams, log: Logger, timeoutMs: number): MethodProber {
  return {
    recordName: 'evm',
    identify: (grant, signal) =>
      Promise.all(upstreams.eachOf(grant).map((upstream) => readIdentity(upstream, signal))),
    probe: (node, store, changeOf, signal) =>
      probeNode(node, { store, upstreams, log, timeoutMs }, changeOf, signal),
  }
}
