import type { Grant } from '@fairlead/gateway-core/grants/grant'
import type {
  Protocol,
  ProtocolDependencies,
  ProtocolModule,
  ProtocolSettings,
} from '@fairlead/gateway-core/protocol/module'
import type { OptionGroup } from '@fairlead/gateway-core/protocol/option'
import type { PooledUpstreamState } from '@fairlead/gateway-core/upstream/node-pools'
import type { UpstreamState } from '@fairlead/gateway-core/upstream/pool-member'
import type { Configuration } from '../configuration/options.ts'

type Settings = ProtocolSettings<OptionGroup>

/** The protocols of a running gateway, as one. */
export interface Protocols extends Pick<
  Protocol<Configuration>,
  'ready' | 'reconfigure' | 'drain' | 'close'
> {
  readonly all: readonly Protocol<Settings>[]
  /** States of the upstreams that are in use. */
  upstreamStates(): readonly PooledUpstreamState[]
  /** States of the upstreams of a node. */
  nodeUpstreamStates(grant: Grant): readonly UpstreamState[]
}

/** @throws FairleadError `CONFIG_INVALID` when a protocol cannot use the value of an option */
export function validateSettings(modules: readonly ProtocolModule[], configuration: Configuration): void {
  for (const module of modules) module.validate?.(configuration)
}

/** Loads and opens protocols. When one of them fails, closes those that were opened. */
export async function openProtocols(
  modules: readonly ProtocolModule[],
  dependencies: ProtocolDependencies,
  configuration: Configuration,
): Promise<Protocols> {
  const runtimes = await Promise.all(modules.map((module) => module.load()))
  const all: Protocol<Settings>[] = []
  try {
    for (const runtime of runtimes) all.push(runtime.open(dependencies, configuration))
  } catch (error) {
    await Promise.all(all.map((protocol) => protocol.close()))
    throw error
  }
  return {
    all,
    upstreamStates: () => all.flatMap((protocol) => protocol.upstreamStates?.() ?? []),
    nodeUpstreamStates: (grant) => all.flatMap((protocol) => protocol.nodeUpstreamStates?.(grant) ?? []),
    ready: async (signal) => {
      await Promise.all(all.map((protocol) => protocol.ready(signal)))
    },
    reconfigure: (next) => {
      for (const protocol of all) protocol.reconfigure(next)
    },
    drain: async (milliseconds) => {
      await Promise.all(all.map((protocol) => protocol.drain(milliseconds)))
    },
    close: async () => {
      await Promise.all(all.map((protocol) => protocol.close()))
    },
  }
}
