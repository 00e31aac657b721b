/** What was asked for is not known, or not kept any more. */
export class NotFound extends Error {
  override readonly name = 'NotFound'
}
