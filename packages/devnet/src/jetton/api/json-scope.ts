import type { FastifyInstance, FastifyReply } from 'fastify'
import { Failure } from './failure.ts'

/**
 * Makes a scope of a server process JSON as TON nodes do: a body is parsed as JSON whatever its media type is, and one
 * that is not JSON counts as missing. Errors other than {@link Failure} are left to the server's own error handler.
 *
 * @param scope routes of one API
 * @param writeError formats the body of an error response from a status and a text
 * @param notFound error text for an unknown path
 */
export function speakJson(
  scope: FastifyInstance,
  writeError: (code: number, message: string) => object,
  notFound: (method: string) => string,
): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'string' }, async (_request: unknown, body: unknown) =>
    parse(body),
  )
  const sendError = (error: unknown, reply: FastifyReply): FastifyReply => {
    const code = codeOf(error)
    // The engine also throws numbers, which the server would send as a response.
    if (code === undefined)
      throw error instanceof Error ? error : new Error(`the engine threw ${String(error)}`)
    // A client that still sends an oversized body would otherwise meet a closed connection instead of the response.
    if (code === 413) reply.removeHeader('connection')
    return reply.code(code).send(writeError(code, (error as Error).message))
  }
  scope.setErrorHandler((error, _request, reply) => sendError(error, reply))
  scope.setNotFoundHandler(({ method }, reply) => sendError(new Failure(404, notFound(method)), reply))
}

function parse(body: unknown): unknown {
  try {
    return typeof body === 'string' ? JSON.parse(body, parseLongInteger) : undefined
  } catch {
    return undefined
  }
}

// Numbers of 64 bits and more may arrive as JSON numbers; the parameter parsers accept their text as well.
function parseLongInteger(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) ? context?.source : value
}

// Rejections by the HTTP server, such as a body that is too long, have a status as well.
function codeOf(error: unknown): number | undefined {
  if (error instanceof Failure) return error.code
  if (!(error instanceof Error) || !('statusCode' in error)) return undefined
  const { statusCode } = error
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500 ? statusCode : undefined
}
