import { type AdmissionOptions, createAdmission, type OwnAdmission } from '../admission/admission.ts'
import { createDoor, type Door } from '../authentication/authenticator.ts'
import type { Directory } from '../authentication/directory.ts'
import { createGuessWatch } from '../authentication/failed-attempts.ts'
import { trustedProxiesOf } from '../http/client-address.ts'
import { pino } from 'pino'

/** What a test may choose about who may pass. */
export interface DoorChoices extends Partial<AdmissionOptions> {
  readonly nodeDomain?: string | undefined
  readonly trustedProxies?: string | undefined
  /** Unknown credentials that one address may send in a minute. */
  readonly maxFailures?: number | undefined
}

/** Makes what stands before the nodes of a test: it lets everybody pass that the grants let pass. */
export function openDoor(
  directory: Directory,
  choices: DoorChoices = {},
): { readonly door: Door; readonly admission: OwnAdmission } {
  const { nodeDomain, trustedProxies, maxFailures = 1e9, ...options } = choices
  const admission = createAdmission({
    requestsPerSecond: 0,
    maxConcurrentCalls: 100_000,
    maxQueuedCalls: 100_000,
    queueMs: 20_000,
    load: { isOverloaded: false, close: () => undefined },
    ...options,
  })
  const guesses = createGuessWatch({ log: pino({ level: 'silent' }), maxFailures })
  const door = createDoor({
    directory,
    admission,
    guesses,
    trustedProxies: trustedProxiesOf(trustedProxies, false),
    nodeDomain,
  })
  return { door, admission }
}
