import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingHttpHeaders } from 'node:http'
import type { Encryptor } from '../credentials/encryption.ts'

/** Detects requests that have already passed through this deployment. */
export interface LoopDetector {
  /** Entry of the field `CDN-Loop` that is added to each request to an upstream. */
  readonly entry: string
  /** Whether a value of `CDN-Loop` names this deployment, or more services than a request can plausibly pass. */
  isLoop(value: string): boolean
}

/** Header field that names the services that a request has passed through (RFC 8586). */
export const loopField = 'cdn-loop'

/** Whether the headers are those of a request that has already passed through this deployment. */
export function hasLooped(loops: LoopDetector | undefined, headers: Readonly<IncomingHttpHeaders>): boolean {
  const value = headers[loopField]
  return value !== undefined && loops?.isLoop(String(value)) === true
}

/** Sent to the client of a request that is not forwarded any further. */
export const loopReason = 'Request loop: an upstream of this node forwards requests to this gateway.'

const maxValueLength = 1_024
const idLength = 22
// Other values of a received field are not forwarded.
const passedOnForm = /^[\x20-\x7E]+$/

/**
 * Creates the loop detector of a deployment. All its processes and replicas have the same secret key and therefore the
 * same id. The id reveals nothing about the key. It differs from that of every other deployment, so that deployments
 * can be chained.
 */
export function createLoopDetector(encryptor: Pick<Encryptor, 'fingerprint'>): LoopDetector {
  const id = encryptor.fingerprint('deployment', loopField).slice(0, idLength)
  return {
    entry: `fairlead; id=${id}`,
    isLoop: (value) => value.length > maxValueLength || value.includes(id),
  }
}

const passedThrough = new AsyncLocalStorage<string>()

/** Runs the handler of a request that has passed through other services, whose names are forwarded. */
export function withPassedThrough<result>(value: string, run: () => result): result {
  return passedOnForm.test(value) ? passedThrough.run(value, run) : run()
}

/** Services that the current request has passed through, as a value of `CDN-Loop`; undefined for most requests. */
export function currentPassedThrough(): string | undefined {
  return passedThrough.getStore()
}
