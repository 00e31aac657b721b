import type { ProtocolModule } from '@fairlead/gateway-core/protocol/module'
import { evm } from './description.ts'
import { evmOptions } from './options.ts'

/** EVM JSON-RPC over HTTP and WebSocket. */
export const evmModule: ProtocolModule<typeof evmOptions> = {
  description: evm,
  options: evmOptions,
  load: async () => (await import('./runtime.ts')).runtime,
}
