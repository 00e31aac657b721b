import { createServer, type Server } from 'node:http'
import { fastify, type FastifyError, type FastifyInstance } from 'fastify'
import { handleBody, refuse, type CallContext } from './handle-body.ts'
import { RpcCode, RpcError } from './rpc-error.ts'

const maxBodyBytes = 1024 * 1024
const json = 'application/json; charset=utf-8'

/** A JSON-RPC server; another server accepts its connections. */
export interface RpcServer {
  readonly http1: Server
  close(): Promise<void>
}

/**
 * Creates a JSON-RPC server for POST to `/`, with `/health`. CORS allows the pages of every site, because the chain
 * runs on its user's machine.
 */
export async function createRpcServer(context: CallContext): Promise<RpcServer> {
  let http1: Server | undefined
  const server = fastify({
    bodyLimit: maxBodyBytes,
    forceCloseConnections: true,
    serverFactory: (handler) => (http1 = createServer(handler)),
  })
  allowAllOrigins(server)
  // A body is parsed as JSON whatever its media type is.
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', { parseAs: 'string' }, async (_request: unknown, body: unknown) => body)
  server.setErrorHandler<FastifyError>((error, _request, reply) => {
    const { statusCode = 500 } = error
    if (statusCode >= 500) context.onFault(error)
    // A client that still sends an oversized body would otherwise meet a closed connection instead of the response.
    if (statusCode === 413) reply.removeHeader('connection')
    return reply
      .code(statusCode)
      .type(json)
      .send(refuse(explain(statusCode)))
  })
  server.get('/health', async () => 'ok')
  server.post('/', async ({ body }, reply) => {
    const response = await handleBody(typeof body === 'string' ? body : '', context)
    return response === undefined ? reply.code(204).send() : reply.type(json).send(response)
  })
  await server.ready()
  if (http1 === undefined) throw new TypeError('the framework created no server')
  return { http1, close: () => server.close() }
}

function allowAllOrigins(server: FastifyInstance): void {
  server.addHook('onRequest', async ({ headers }, reply) => {
    reply.header('access-control-allow-origin', '*')
    const wanted = headers['access-control-request-headers']
    if (wanted !== undefined) reply.header('access-control-allow-headers', wanted)
  })
  server.options('/', (_request, reply) =>
    reply
      .code(204)
      .header('access-control-allow-methods', 'POST, OPTIONS')
      .header('access-control-max-age', '86400')
      .send(),
  )
}

function explain(statusCode: number): RpcError {
  if (statusCode === 413)
    return new RpcError(
      RpcCode.invalidRequest,
      `Invalid request: the body must have at most ${maxBodyBytes} bytes`,
    )
  return statusCode >= 500
    ? new RpcError(RpcCode.internalError, 'Internal error')
    : new RpcError(RpcCode.invalidRequest, 'Invalid request')
}
