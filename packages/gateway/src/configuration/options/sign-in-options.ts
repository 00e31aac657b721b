import type { Option } from '@fairlead/gateway-core/protocol/option'

/** The provider through which people may sign in. */
export const signInOptions = {
  oidcIssuer: {
    kind: 'string',
    environment: 'FAIRLEAD_OIDC_ISSUER',
    description:
      'Address of the OpenID Connect provider that members may sign in to the console through, as its tokens name it; needs oidcClientId.',
    form: {
      pattern: /^(https:\/\/[^\s?#@]+|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/[^\s?#@]*)?)$/,
      rule: 'an https address, or http on loopback',
    },
  },
  oidcClientId: {
    kind: 'string',
    environment: 'FAIRLEAD_OIDC_CLIENT_ID',
    description:
      'What this service is called at the provider. There its redirect address is /v1/session/oidc/callback/ below publicUrl.',
  },
  oidcClientSecret: {
    kind: 'secret',
    environment: 'FAIRLEAD_OIDC_CLIENT_SECRET',
    description: 'Secret of this service at the provider; without it the client is a public one.',
  },
  oidcName: {
    kind: 'string',
    environment: 'FAIRLEAD_OIDC_NAME',
    description: 'What the console calls the provider.',
    fallback: 'your identity provider',
  },
} as const satisfies Readonly<Record<string, Option>>
