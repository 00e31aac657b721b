/** Exit codes of the program, so that a script need not parse the message; 0 is success. */
export const exitCodes = {
  /** Any failure without a specific exit code. */
  failed: 1,
  /** The command line or the configuration is invalid. */
  usage: 2,
  /** The key is missing, invalid, or not permitted to do this. */
  denied: 3,
  /** The object does not exist. */
  missing: 4,
  /** The state of the object does not allow the change, or the object has changed meanwhile. */
  conflict: 5,
  /** The gateway cannot be reached, is overloaded, or limits the rate of the caller. */
  unavailable: 6,
} as const

/** A command that failed. The message is for people and holds no secret. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Returns the exit code for an HTTP status. */
export function exitCodeOf(status: number): number {
  if (status === 401 || status === 403) return exitCodes.denied
  if (status === 404) return exitCodes.missing
  if (status === 409 || status === 412) return exitCodes.conflict
  if (status === 429 || status >= 502) return exitCodes.unavailable
  return exitCodes.failed
}
