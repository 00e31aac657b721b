import { Failure } from '../failure.ts'

/**
 * Creates the error for parameters that are well-formed but invalid.
 *
 * @param rule The rule that they break.
 * @returns The error to throw, with the code 422.
 */
export function invalid(rule: string): Failure {
  return new Failure(422, `failed to validate request: ${rule}`)
}

/**
 * Creates the error of a rejected lite server query.
 *
 * @param reason The error text of a TON node.
 * @returns The error to throw, with the code 500.
 */
export function liteServerFailure(reason: string): Failure {
  return new Failure(500, `LITE_SERVER_UNKNOWN: ${reason}`)
}
