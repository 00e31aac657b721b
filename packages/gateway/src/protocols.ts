import { beaconModule } from '@fairlead/gateway-beacon/module'
import type { ProtocolDescription } from '@fairlead/gateway-core/protocol/description'
import type { ProtocolModule } from '@fairlead/gateway-core/protocol/module'
import type { ProtocolCosts } from '@fairlead/gateway-core/usage/units'
import { evmModule } from '@fairlead/gateway-evm/module'
import { grpcModule } from '@fairlead/gateway-grpc/module'
import { jettonModule } from '@fairlead/gateway-jetton/module'

/** The protocols of this gateway, in display order. */
export const protocolModules = [evmModule, beaconModule, jettonModule, grpcModule] as const

/** Descriptions of the protocols, available before any request. */
export const protocols: readonly ProtocolDescription[] = protocolModules.map(({ description }) => description)

/** Returns the costs of calls by protocol. */
export function costsOf(modules: readonly ProtocolModule[]): ProtocolCosts {
  return Object.fromEntries(modules.map(({ description: { name, cost } }) => [name, cost]))
}
