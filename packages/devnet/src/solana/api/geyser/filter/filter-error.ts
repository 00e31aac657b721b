/** An invalid filter. Its message names field, kind of value and rule, and ends the stream with INVALID_ARGUMENT. */
export class FilterError extends Error {
  override readonly name = 'FilterError'
}
