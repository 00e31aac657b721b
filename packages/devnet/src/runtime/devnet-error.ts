/** Error codes of a development chain; new codes may be added, existing ones are never removed. */
export type DevnetErrorCode =
  | 'DEVNET_ENGINE_FAILED'
  | 'DEVNET_ENGINE_UNAVAILABLE'
  | 'DEVNET_LOCKED'
  | 'DEVNET_SEED_FAILED'
  | 'DEVNET_STATE_UNREADABLE'

/**
 * The only error class of this package; its message names the next step.
 *
 * @example
 * try {
 *   await startDevnet({ dataDirectory: '.fairlead/devnet' })
 * } catch (error) {
 *   if (error instanceof DevnetError && error.code === 'DEVNET_LOCKED') process.exitCode = 75
 * }
 */
export class DevnetError extends Error {
  override readonly name = 'DevnetError'
  /** Stable code of the failure. */
  readonly code: DevnetErrorCode

  /**
   * @param code Stable code of the failure.
   * @param message What happened, and the next step.
   * @param options The error that caused this one, if there is one.
   */
  constructor(code: DevnetErrorCode, message: string, options?: { cause?: unknown }) {
    super(`[${code}] ${message}`, options)
    this.code = code
  }
}
