/** What the program ends with, so that a script need not read the message; 0 is success. */
export const exitCodes = {
  /** Anything that has no number of its own. */
  failed: 1,
  /** The command line or the configuration cannot be. */
  usage: 2,
  /** No key, a key that is not valid, or one that may not do this. */
  refused: 3,
  /** There is no such object. */
  missing: 4,
  /** The state of the object does not allow it, or somebody changed it meanwhile. */
  conflict: 5,
  /** The service cannot be reached, is overloaded or asks to wait. */
  unavailable: 6,
} as const

/** A command that could not do what it was asked; the message is for people and holds no secret. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message)
    this.exitCode = exitCode
  }
}

/** The exit code that an HTTP status stands for. */
export function exitCodeOf(status: number): number {
  if (status === 401 || status === 403) return exitCodes.refused
  if (status === 404) return exitCodes.missing
  if (status === 409 || status === 412) return exitCodes.conflict
  if (status === 429 || status >= 502) return exitCodes.unavailable
  return exitCodes.failed
}
