import { Failure } from '../failure.ts'

/**
 * A request whose parameters are readable and yet cannot be meant.
 *
 * @param rule The rule that they break.
 * @returns The error to throw, with the code 422.
 */
export function invalid(rule: string): Failure {
  return new Failure(422, `failed to validate request: ${rule}`)
}

/**
 * A refusal of the part of a node that answers questions about the chain.
 *
 * @param reason What the node would say.
 * @returns The error to throw, with the code 500.
 */
export function liteServerFailure(reason: string): Failure {
  return new Failure(500, `LITE_SERVER_UNKNOWN: ${reason}`)
}
