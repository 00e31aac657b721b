import { type AdmissionOptions, createAdmission, type OwnAdmission } from '../admission/admission.ts'
import { createAuthenticator, type Authenticator } from '../authentication/authenticator.ts'
import type { Directory } from '../authentication/directory.ts'
import { createFailedAttemptLimiter } from '../authentication/failed-attempts.ts'
import { trustedProxiesOf } from '../http/client-address.ts'
import { pino } from 'pino'

/** What a test may choose about who may pass. */
export interface AuthenticatorChoices extends Partial<AdmissionOptions> {
  readonly nodeDomain?: string | undefined
  readonly trustedProxies?: string | undefined
  /** Unknown credentials that one address may send in a minute. */
  readonly maxFailures?: number | undefined
}

/** Makes what stands before the nodes of a test: it lets everybody pass that the grants let pass. */
export function testAuthenticator(
  directory: Directory,
  choices: AuthenticatorChoices = {},
): { readonly authenticator: Authenticator; readonly admission: OwnAdmission } {
  const { nodeDomain, trustedProxies, maxFailures = 1e9, ...options } = choices
  const admission = createAdmission({
    requestsPerSecond: 0,
    maxConcurrentCalls: 100_000,
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
    trustedProxies: trustedProxiesOf(trustedProxies, false),
    nodeDomain,
  })
  return { authenticator, admission }
}
