/**
 * Returns the loggable properties of an error. The error itself is not loggable: database drivers attach queries and
 * their parameters, and Node.js attaches the URL that it could not parse.
 */
export function loggableError(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { type: typeof error }
  const code = errorCode(error)
  return { type: error.name, message: error.message, ...(code !== undefined && { code }), stack: error.stack }
}

/** Returns the `code` of a Node.js or library error. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
