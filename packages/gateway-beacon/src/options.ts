import type { OptionGroup } from '@fairlead/gateway-core/protocol/option'

/** Options that only the beacon node API reads. */
export const beaconOptions = {
  beaconUpstream: {
    kind: 'secret',
    environment: 'FAIRLEAD_BEACON_UPSTREAM',
    description:
      'HTTP address of the beacon node to stand in front of, or several of one network with spaces between. They may hold credentials and are never shown.',
    form: {
      pattern: /^\s*https?:\/\/[^\s/]\S*(?:\s+https?:\/\/[^\s/]\S*)*\s*$/,
      rule: 'one or several http or https URLs with spaces between',
    },
    reload: true,
  },
  beaconDebug: {
    kind: 'boolean',
    environment: 'FAIRLEAD_BEACON_DEBUG',
    description: 'Offer the debug endpoints of the beacon node API, whose answers can be very large.',
    fallback: true,
    reload: true,
  },
  maxBeaconBodyBytes: {
    topic: 'limits',
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_BEACON_BODY_BYTES',
    description: 'Longest request body of the beacon node API in bytes; a block with its blobs has to fit.',
    fallback: 16_777_216,
    minimum: 1_024,
    maximum: 268_435_456,
  },
} as const satisfies OptionGroup
