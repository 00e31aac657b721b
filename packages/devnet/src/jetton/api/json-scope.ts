import type { FastifyInstance, FastifyReply } from 'fastify'
import { Failure } from './failure.ts'

/**
 * Makes a scope of a server read and answer JSON as the nodes of this chain do: a body is JSON whatever its media type
 * claims, and one that is no JSON counts as none. What is no {@link Failure} is left to the server's own error handler.
 *
 * @param scope routes of one family
 * @param writeError body of an answer for a status and its words
 * @param notFound words for a path that is not there
 */
export function speakJson(
  scope: FastifyInstance,
  writeError: (code: number, words: string) => object,
  notFound: (method: string) => string,
): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'string' }, async (_request: unknown, body: unknown) =>
    parse(body),
  )
  const answerError = (error: unknown, reply: FastifyReply): FastifyReply => {
    const code = codeOf(error)
    // The engine throws numbers too, which the server would take for an answer.
    if (code === undefined)
      throw error instanceof Error ? error : new Error(`the engine threw ${String(error)}`)
    // Whoever still sends an oversize body would meet a closed connection in place of the answer.
    if (code === 413) reply.removeHeader('connection')
    return reply.code(code).send(writeError(code, (error as Error).message))
  }
  scope.setErrorHandler((error, _request, reply) => answerError(error, reply))
  scope.setNotFoundHandler(({ method }, reply) => answerError(new Failure(404, notFound(method)), reply))
}

function parse(body: unknown): unknown {
  try {
    return typeof body === 'string' ? JSON.parse(body, keepLongInteger) : undefined
  } catch {
    return undefined
  }
}

// Numbers of 64 bits and more may come as numbers of JSON; what reads them takes their text as well.
function keepLongInteger(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) ? context?.source : value
}

// The server's own refusals, such as a body that is too long, bear a status as well.
function codeOf(error: unknown): number | undefined {
  if (error instanceof Failure) return error.code
  if (!(error instanceof Error) || !('statusCode' in error)) return undefined
  const { statusCode } = error
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500 ? statusCode : undefined
}
