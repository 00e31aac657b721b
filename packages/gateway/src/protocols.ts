import { beacon } from './access/forward/beacon-nodes/description.ts'
import { grpc } from './access/forward/grpc/description.ts'
import { jetton } from './access/forward/jetton/description.ts'
import type { ProtocolCosts } from '@fairlead/gateway-core/usage/units'
import { evm } from './access/route/evm-description.ts'
import { reservedSegments } from '@fairlead/gateway-core/protocol/reserved-segments'
import type { ProtocolDescription } from '@fairlead/gateway-core/protocol/description'

/** The protocols of this service, in the order in which they are shown. */
export const protocols: readonly ProtocolDescription[] = [evm, beacon, jetton, grpc]

/** First segments of paths that no token is like. */
export const reserved: ReadonlySet<string> = reservedSegments(protocols)

/** What their calls cost. */
export const protocolCosts: ProtocolCosts = Object.fromEntries(
  protocols.map(({ name, cost }) => [name, cost]),
)
