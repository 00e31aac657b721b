import type { ProtocolModule } from '@fairlead/gateway-core/protocol/module'
import { grpc } from './description.ts'
import { configuredRules } from './limits/configured-rules.ts'
import { grpcOptions } from './options.ts'

/** gRPC of any service, and gRPC-web. */
export const grpcModule: ProtocolModule<typeof grpcOptions> = {
  description: grpc,
  options: grpcOptions,
  validate: (settings) => void configuredRules(settings),
  load: async () => (await import('./runtime.ts')).runtime,
}
