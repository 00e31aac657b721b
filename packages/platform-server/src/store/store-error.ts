/** Reason why the store could not be opened. */
export type StoreErrorCode =
  | 'STORE_IN_USE'
  | 'STORE_NEWER'
  | 'STORE_OLDER'
  | 'STORE_INVALID'
  | 'STORE_KEY'
  | 'STORE_MIGRATION_FAILED'

/** Thrown when the store cannot be opened. The message is for the operator and contains no secret. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly code: StoreErrorCode

  constructor(code: StoreErrorCode, message: string, options?: { cause?: unknown }) {
    super(`[${code}] ${message}`, options)
    this.code = code
  }
}
