import { fastify, type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify'
import type { JettonChain } from '../chain/jetton-chain.ts'
import { registerFaucet } from './faucet-route.ts'
import { registerV2 } from './v2/register-v2.ts'
import { registerV3 } from './v3/register-v3.ts'

const maxBodyBytes = 1024 * 1024
// Large enough for a thousand addresses in a query, which the TON indexer accepts.
const maxHeaderBytes = 128 * 1024
// Long enough for every name, so that the server can distinguish a malformed name from an unknown route.
const longestPathParameter = 512

/** Options of the server. */
export interface JettonApiOptions {
  chain: JettonChain
  /** Port on 127.0.0.1; 0 lets the system choose. */
  port: number
  /** Called with each error that is not reported to a client. */
  onFault: (error: unknown) => void
}

/** A running server of both APIs (v2 and v3). */
export interface JettonApiServer {
  readonly port: number
  close(): Promise<void>
}

/**
 * Serves both TON HTTP APIs (v2 and v3) of a chain on 127.0.0.1, with the faucet at `/faucet` and `/health`.
 *
 * @param options What to serve and where.
 * @returns The server, already listening.
 * @throws The system error when the port is in use.
 */
export async function serveJettonApi({ chain, port, onFault }: JettonApiOptions): Promise<JettonApiServer> {
  const server = fastify({
    bodyLimit: maxBodyBytes,
    http: { maxHeaderSize: maxHeaderBytes },
    // A path that cannot be decoded counts as not found.
    frameworkErrors: (_error, request, reply) => void sendNotFound(request, reply),
    forceCloseConnections: true,
    routerOptions: { maxParamLength: longestPathParameter },
  })
  server.setErrorHandler<FastifyError>((error, _request, reply) => {
    const { status, message } = explain(error)
    if (status === 500) onFault(error)
    return reply.code(status).send({ ok: false, error: message, code: status })
  })
  server.setNotFoundHandler(sendNotFound)
  server.get('/health', async () => ({ ok: true, result: { masterchain_seqno: chain.head.seqno } }))
  registerFaucet(server, chain)
  registerV2(server, chain)
  registerV3(server, chain)
  const address = await server.listen({ host: '127.0.0.1', port })
  return { port: Number(new URL(address).port), close: () => server.close() }
}

function sendNotFound(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.code(404).send({ ok: false, error: 'The chain has no such path.', code: 404 })
}

function explain(error: FastifyError): { status: number; message: string } {
  const { statusCode = 500, message } = error
  if (statusCode >= 500) return { status: 500, message: 'Internal error of the chain.' }
  // A body that is not JSON, or has another media type, is an invalid parameter like any other.
  return { status: statusCode === 400 || statusCode === 415 ? 422 : statusCode, message }
}
