import { type AdmissionOptions, createAdmission, type BuiltinAdmission } from '../admission/admission.ts'
import { createAuthenticator, type Authenticator } from '../authentication/authenticator.ts'
import type { Directory } from '../authentication/directory.ts'
import { createFailedAttemptLimiter } from '../authentication/failed-attempts.ts'
import { trustedProxiesOf } from '../http/client-address.ts'
import { pino } from 'pino'

/** Options for access control in a test. */
export interface AuthenticatorChoices extends Partial<AdmissionOptions> {
  readonly nodeDomain?: string | undefined
  readonly trustedProxies?: string | undefined
  /** Maximum number of unknown credentials that one IP address may send per minute. */
  readonly maxFailures?: number | undefined
}

/** Creates the authenticator of a test; without options, it accepts every request that the grants allow. */
export function testAuthenticator(
  directory: Directory,
  choices: AuthenticatorChoices = {},
): { readonly authenticator: Authenticator; readonly admission: BuiltinAdmission } {
  const { nodeDomain, trustedProxies, maxFailures = 1e9, ...options } = choices
  const admission = createAdmission({
    requestsPerSecond: 0,
    maxConcurrentCalls: 100_000,
    maxTotalConcurrentCalls: 1_000_000,
    maxQueuedCalls: 100_000,
    queueMs: 20_000,
    load: { isOverloaded: false, close: () => undefined },
    ...options,
  })
  const failedAttempts = createFailedAttemptLimiter({ log: pino({ level: 'silent' }), maxFailures })
  const authenticator = createAuthenticator({
    directory,
    admission,
    failedAttempts,
    trustedProxies: trustedProxiesOf(trustedProxies),
    nodeDomain,
  })
  return { authenticator, admission }
}
