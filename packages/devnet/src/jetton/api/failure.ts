/** A request that ends with an error response. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly code: number

  /**
   * @param code HTTP status, 400 to 599.
   * @param message The text of `error` in the response.
   */
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}
