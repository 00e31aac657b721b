import { FairleadError } from '@fairlead/core'
import type { OidcOptions } from '@fairlead/platform-server/sessions/oidc'
import type { Configuration } from './options.ts'

/**
 * Returns the identity provider for sign-in; undefined when none is configured.
 *
 * @throws {@link FairleadError} `CONFIG_INVALID` for a provider without a client id, and for an http issuer that is not allowed
 */
export function configuredOidc(configuration: Configuration): OidcOptions | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId } = configuration
  const {
    oidcClientSecret: clientSecret,
    oidcName: name,
    oidcAllowLoopbackHttp: isHttpAllowed,
  } = configuration
  if (issuer === undefined) return undefined
  if (clientId === undefined) {
    throw new FairleadError('CONFIG_INVALID', {
      option: 'FAIRLEAD_OIDC_CLIENT_ID',
      rule: 'must be set if FAIRLEAD_OIDC_ISSUER is set',
    })
  }
  if (issuer.startsWith('http:') && !isHttpAllowed) {
    throw new FairleadError('CONFIG_INVALID', {
      option: 'FAIRLEAD_OIDC_ISSUER',
      rule: 'must be an https URL, or an http URL on loopback with FAIRLEAD_OIDC_ALLOW_LOOPBACK_HTTP=true',
    })
  }
  return { issuer, isHttpAllowed, clientId, clientSecret, name }
}
