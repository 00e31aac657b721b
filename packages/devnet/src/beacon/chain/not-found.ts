/** The requested object is unknown or no longer stored. */
export class NotFound extends Error {
  override readonly name = 'NotFound'
}
