import type { OptionGroup } from '@fairlead/gateway-core/protocol/option'

/** Options that only the jetton chain API reads. */
export const jettonOptions = {
  jettonUpstream: {
    kind: 'secret',
    environment: 'FAIRLEAD_JETTON_UPSTREAM',
    description:
      'HTTP address of the jetton node to stand in front of, below which its /api/v2 and /api/v3 lie. It may hold credentials and is never shown.',
    form: { pattern: /^https?:\/\/[^\s/]\S*$/, rule: 'an http or https URL' },
    reload: true,
  },
  jettonV3Upstream: {
    kind: 'secret',
    environment: 'FAIRLEAD_JETTON_V3_UPSTREAM',
    description:
      'HTTP address of the index over the same chain, below which /api/v3 lies; without it the jetton node is asked.',
    form: { pattern: /^https?:\/\/[^\s/]\S*$/, rule: 'an http or https URL' },
    reload: true,
  },
} as const satisfies OptionGroup
