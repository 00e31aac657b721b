import type { Option } from '@fairlead/gateway-core/protocol/option'

/** The identity provider for sign-in. */
export const signInOptions = {
  oidcIssuer: {
    kind: 'string',
    environment: 'FAIRLEAD_OIDC_ISSUER',
    description:
      'Issuer URL of the OpenID Connect provider for console sign-in, exactly as in its tokens; requires oidcClientId.',
    form: {
      pattern: /^(https:\/\/[^\s?#@]+|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/[^\s?#@]*)?)$/,
      rule: 'an https URL, or an http URL on loopback',
    },
  },
  oidcAllowLoopbackHttp: {
    kind: 'boolean',
    environment: 'FAIRLEAD_OIDC_ALLOW_LOOPBACK_HTTP',
    description: 'Accept an http oidcIssuer on loopback (localhost, 127.0.0.1, [::1]); for development.',
    fallback: false,
  },
  oidcClientId: {
    kind: 'string',
    environment: 'FAIRLEAD_OIDC_CLIENT_ID',
    description:
      'Client ID at the OpenID Connect provider; the redirect URI is /v1/session/oidc/callback/ under publicUrl.',
  },
  oidcClientSecret: {
    kind: 'secret',
    environment: 'FAIRLEAD_OIDC_CLIENT_SECRET',
    description:
      'Client secret at the OpenID Connect provider; without a secret, the gateway is a public client.',
  },
  oidcName: {
    kind: 'string',
    environment: 'FAIRLEAD_OIDC_NAME',
    description: 'Name of the OpenID Connect provider in the console.',
    fallback: 'your identity provider',
  },
} as const satisfies Readonly<Record<string, Option>>
