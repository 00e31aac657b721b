/** What can go wrong with a development chain; the list only ever grows. */
export type DevnetErrorCode =
  | 'DEVNET_ENGINE_FAILED'
  | 'DEVNET_ENGINE_UNAVAILABLE'
  | 'DEVNET_LOCKED'
  | 'DEVNET_SEED_FAILED'
  | 'DEVNET_STATE_UNREADABLE'

/**
 * The one error class of this package; its message says what to do.
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
  /** Stable name of the failure. */
  readonly code: DevnetErrorCode

  /**
   * @param code Stable name of the failure.
   * @param message What happened and what to do about it.
   * @param options The error behind it, when there is one.
   */
  constructor(code: DevnetErrorCode, message: string, options?: { cause?: unknown }) {
    super(`[${code}] ${message}`, options)
    this.code = code
  }
}
