import { beacon } from '@fairlead/gateway-beacon/description'
import { grpc } from '@fairlead/gateway-grpc/description'
import { jetton } from '@fairlead/gateway-jetton/description'
import type { ProtocolCosts } from '@fairlead/gateway-core/usage/units'
import { evm } from '@fairlead/gateway-evm/description'
import type { ProtocolDescription } from '@fairlead/gateway-core/protocol/description'

/** The protocols of this service, in the order in which they are shown. */
export const protocols: readonly ProtocolDescription[] = [evm, beacon, jetton, grpc]

/** What their calls cost. */
export const protocolCosts: ProtocolCosts = Object.fromEntries(
  protocols.map(({ name, cost }) => [name, cost]),
)
