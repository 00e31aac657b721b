import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { makeRequestId } from '@fairlead/gateway-core/http/request-id'
import { requestIdField } from '@fairlead/gateway-core/http/response-fields'
import { errorBody, PlatformError } from '@fairlead/platform-server/platform-api/platform-error'

const statusOfCode: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

const messages: Readonly<Record<number, string>> = {
  408: 'The request did not arrive in time.',
  413: 'The chunk extensions are too long.',
  417: 'Expect must be 100-continue.',
  431: 'The request line and the headers must have at most 16 KiB.',
}

/**
 * Responds to a request that the HTTP parser rejects, in the format of other errors and with a request id, and closes
 * the connection.
 *
 * @param error - of the parser
 * @param socket - nothing may have been written to it for this request
 */
export function sendParserError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  socket.end(responseOf(statusOfCode[error.code ?? ''] ?? 400))
}

/** Returns the response to a request that does not arrive in time. */
export function timeoutResponse(): string {
  return responseOf(408)
}

function responseOf(status: number): string {
  const { requestId, body } = content(status)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'connection: close',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `${requestIdField}: ${requestId}`,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

/** Responds with 417 to a request with an unsupported expectation (RFC 9110, section 10.1.1). */
export function sendExpectationFailed(_: IncomingMessage, response: ServerResponse): void {
  const { requestId, body } = content(417)
  response
    .writeHead(417, { connection: 'close', 'content-type': 'application/json', [requestIdField]: requestId })
    .end(body)
}

function content(status: number): { readonly requestId: string; readonly body: string } {
  const requestId = makeRequestId()
  const message = messages[status] ?? 'The request is not valid HTTP/1.1.'
  const code = status === 413 ? 'payload_too_large' : 'invalid'
  return { requestId, body: JSON.stringify(errorBody(new PlatformError(code, { message }), requestId)) }
}
