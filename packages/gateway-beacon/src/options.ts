import type { OptionGroup } from '@fairlead/gateway-core/protocol/option'

/** Options that only the beacon node API reads. */
export const beaconOptions = {
  beaconUpstream: {
    kind: 'secret',
    environment: 'FAIRLEAD_BEACON_UPSTREAM',
    description:
      'HTTP URL of the beacon upstream; several URLs of one network are separated by spaces; credentials in URLs are never shown.',
    form: {
      pattern: /^\s*https?:\/\/[^\s/]\S*(?:\s+https?:\/\/[^\s/]\S*)*\s*$/,
      rule: 'one or several http or https URLs, separated by spaces',
    },
    reload: true,
  },
  beaconDebug: {
    kind: 'boolean',
    environment: 'FAIRLEAD_BEACON_DEBUG',
    description: 'Enable the debug endpoints of the beacon node API; their responses can be very large.',
    fallback: true,
    reload: true,
  },
  maxBeaconBodyBytes: {
    topic: 'limits',
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_BEACON_BODY_BYTES',
    description:
      'Maximum request body size of the beacon node API, in bytes; a block with its blobs must fit.',
    fallback: 16_777_216,
    minimum: 1_024,
    maximum: 268_435_456,
  },
} as const satisfies OptionGroup
