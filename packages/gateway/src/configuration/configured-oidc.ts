import { FairleadError } from '@fairlead/core'
import type { OidcOptions } from '@fairlead/platform-server/sessions/oidc'
import type { Configuration } from './options.ts'

/**
 * The identity provider that people may sign in through; undefined when none is configured.
 *
 * @throws {@link FairleadError} `CONFIG_INVALID` for a provider at which the service has no name
 */
export function configuredOidc(configuration: Configuration): OidcOptions | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId } = configuration
  const { oidcClientSecret: clientSecret, oidcName: name } = configuration
  if (issuer === undefined) return undefined
  if (clientId === undefined) {
    throw new FairleadError('CONFIG_INVALID', {
      option: 'FAIRLEAD_OIDC_CLIENT_ID',
      rule: 'must be given with FAIRLEAD_OIDC_ISSUER',
    })
  }
  return { issuer, clientId, clientSecret, name }
}
