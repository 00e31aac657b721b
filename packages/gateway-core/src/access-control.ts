import { availableParallelism } from 'node:os'
import type { Logger } from 'pino'
import type { SharedStore } from './shared-store/types.ts'
import type { UnitTable } from './usage/units.ts'
import type { Directory } from './authentication/directory.ts'
import {
  createFailedAttemptLimiter,
  type FailedAttemptStates,
  type FailedAttemptLimiter,
} from './authentication/failed-attempts.ts'
import { trustedProxiesOf } from './http/client-address.ts'
import type { Admission } from './admission/types.ts'
import {
  type AdmissionLimits,
  type AdmissionOptions,
  type AdmissionStates,
  createAdmission,
} from './admission/admission.ts'
import {
  createAuthenticator,
  type Authenticator,
  type AuthenticatorSettings,
} from './authentication/authenticator.ts'

/** The access control of all endpoints of the gateway. */
export interface AccessControl {
  readonly authenticator: Authenticator
  readonly admission: Admission
  /** Also limits failed attempts with keys of the platform API. */
  readonly failedAttempts: FailedAttemptLimiter
  /** Whether an IP address is that of a trusted proxy. */
  readonly trustsProxy: (address: string) => boolean
  /** Applies new limits and settings. */
  change(settings: AccessControlSettings): void
  states(): AccessControlStates
  close(): Promise<void>
}

/** Counters since the start. */
export interface AccessControlStates extends AdmissionStates {
  /** Counters of unknown credentials and of those that were throttled. */
  readonly failedAttempts: FailedAttemptStates
}

/** Settings of the operator. */
export interface AccessControlSettings extends AdmissionLimits {
  readonly units: UnitTable
  /** Number of processes; 0 = one for each core. */
  readonly processes: number
  /** Maximum number of unknown credentials that one IP address may send per minute. */
  readonly maxUnknownCredentials: number
  readonly trustedProxies?: string | undefined
  readonly nodeDomain?: string | undefined
}

/** Dependencies of access control. */
export interface AccessControlDependencies extends Pick<AdmissionOptions, 'usedSoFar'> {
  readonly directory: Directory
  readonly store: SharedStore | undefined
  readonly log: Logger
}

/** Creates the access control of the endpoints. */
export function openAccessControl(
  configuration: AccessControlSettings,
  dependencies: AccessControlDependencies,
): AccessControl {
  const { directory, log, ...rest } = dependencies
  const { requestsPerSecond, maxConcurrentCalls, maxTotalConcurrentCalls, maxQueuedCalls, queueMs } =
    configuration
  const admission = createAdmission({
    ...rest,
    requestsPerSecond,
    maxConcurrentCalls,
    maxTotalConcurrentCalls,
    maxQueuedCalls,
    queueMs,
    // 0 = one for each core.
    processes: configuration.processes || availableParallelism(),
    isWeighted: configuration.units === 'weighted',
    isGrantValid: ({ credentialId }) => directory.current(credentialId) !== undefined,
  })
  const failedAttempts = createFailedAttemptLimiter({ log, maxFailures: configuration.maxUnknownCredentials })
  let settings = authenticatorSettingsIn(configuration)
  const authenticator = createAuthenticator({ directory, admission, failedAttempts, ...settings })
  return {
    authenticator,
    admission,
    failedAttempts,
    trustsProxy: (address) => settings.trustedProxies?.has(address) === true,
    change: (next) => {
      settings = authenticatorSettingsIn(next)
      authenticator.change(settings)
      admission.change(next)
      failedAttempts.change(next.maxUnknownCredentials)
    },
    states: () => ({ ...admission.states(), failedAttempts: failedAttempts.states() }),
    close: async () => {
      failedAttempts.close()
      await admission.close()
    },
  }
}

function authenticatorSettingsIn({
  trustedProxies,
  nodeDomain,
}: AccessControlSettings): AuthenticatorSettings {
  return { trustedProxies: trustedProxiesOf(trustedProxies), nodeDomain }
}
