/** A request that ends with an error of the interface. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly code: number

  /**
   * @param code HTTP status, 400 to 599.
   * @param message What the answer says in `error`.
   */
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}
