import type { OptionGroup } from '@fairlead/gateway-core/protocol/option'

const form = {
  pattern: /^\s*https?:\/\/[^\s/]\S*(?:\s+https?:\/\/[^\s/]\S*)*\s*$/,
  rule: 'one or several http or https URLs with spaces between',
}

/** Options that only the jetton chain API reads. */
export const jettonOptions = {
  jettonUpstream: {
    kind: 'secret',
    environment: 'FAIRLEAD_JETTON_UPSTREAM',
    description:
      'URL of the jetton node to stand in front of, below which its /api/v2 and /api/v3 are, or several of one chain with spaces between. They may hold credentials and are never shown.',
    form,
    reload: true,
  },
  jettonV3Upstream: {
    kind: 'secret',
    environment: 'FAIRLEAD_JETTON_V3_UPSTREAM',
    description:
      'URL of the index over the same chain, below which /api/v3 is, or several with spaces between; without it the jetton nodes are asked.',
    form,
    reload: true,
  },
} as const satisfies OptionGroup
