import type { ProtocolDescription } from '@fairlead/gateway-core/protocol/description'
import { beacon } from '@fairlead/gateway-beacon/description'
import { evm } from '@fairlead/gateway-evm/description'
import { grpc } from '@fairlead/gateway-grpc/description'
import { jetton } from '@fairlead/gateway-jetton/description'

/** The protocols of the gateway. */
export const protocols: readonly ProtocolDescription[] = [evm, beacon, jetton, grpc]
