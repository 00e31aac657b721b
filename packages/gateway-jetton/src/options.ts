import type { OptionGroup } from '@fairlead/gateway-core/protocol/option'

const form = {
  pattern: /^\s*https?:\/\/[^\s/]\S*(?:\s+https?:\/\/[^\s/]\S*)*\s*$/,
  rule: 'one or several http or https URLs, separated by spaces',
}

/** Options that only the jetton chain API reads. */
export const jettonOptions = {
  jettonUpstream: {
    kind: 'secret',
    environment: 'FAIRLEAD_JETTON_UPSTREAM',
    description:
      'Base URL of the jetton (TON) upstream, without /api/v2 and /api/v3; several URLs are separated by spaces; credentials are never shown.',
    form,
    reload: true,
  },
  jettonV3Upstream: {
    kind: 'secret',
    environment: 'FAIRLEAD_JETTON_V3_UPSTREAM',
    description:
      'Base URL of an index of the same chain, without /api/v3; several URLs are separated by spaces; default: jettonUpstream.',
    form,
    reload: true,
  },
} as const satisfies OptionGroup
