import type { ProtocolModule } from '@fairlead/gateway-core/protocol/module'
import { jetton } from './description.ts'
import { jettonOptions } from './options.ts'

/** The jetton chain API. */
export const jettonModule: ProtocolModule<typeof jettonOptions> = {
  description: jetton,
  options: jettonOptions,
  load: async () => (await import('./runtime.ts')).runtime,
}
