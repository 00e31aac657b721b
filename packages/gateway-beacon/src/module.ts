import type { ProtocolModule } from '@fairlead/gateway-core/protocol/module'
import { beacon } from './description.ts'
import { beaconOptions } from './options.ts'

/** The beacon node API. */
export const beaconModule: ProtocolModule<typeof beaconOptions> = {
  description: beacon,
  options: beaconOptions,
  load: async () => (await import('./runtime.ts')).runtime,
}
