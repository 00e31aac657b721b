import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { JettonChain } from '../../chain/jetton-chain.ts'
import { Failure } from '../failure.ts'
import { speakJson } from '../json-scope.ts'
import type { Method } from './method.ts'
import { methods } from './methods.ts'
import { readRpcCall } from './rpc-call.ts'

/**
 * Serves the v2 API of a chain under `/api/v2`, in the format of ton-http-api-cpp.
 *
 * @param app Server to add the routes to; its error handler processes unexpected errors.
 * @param chain The chain to read.
 */
export function registerV2(app: FastifyInstance, chain: JettonChain): void {
  void app.register(
    async (scope) => {
      speakJson(scope, writeError, () => 'Not Found')
      for (const [name, method] of Object.entries(methods)) addMethod(scope, chain, name, method)
      addRpc(scope, chain)
    },
    { prefix: '/api/v2' },
  )
}

function addMethod(scope: FastifyInstance, chain: JettonChain, name: string, method: Method): void {
  scope.all(`/${name}`, { onRequest: requireVerb(method.verbs) }, async (request) =>
    envelope(
      request.method === 'GET'
        ? await method.call(chain, request.query as Readonly<Record<string, unknown>>, 'get')
        : await method.call(chain, readObject(request.body), 'post'),
    ),
  )
}

function addRpc(scope: FastifyInstance, chain: JettonChain): void {
  scope.all('/jsonRPC', { onRequest: requireVerb(['POST']) }, async (request) => {
    const { method, params } = readRpcCall(readObject(request.body))
    const called = Object.hasOwn(methods, method) ? methods[method] : undefined
    if (called === undefined) throw new Failure(404, 'Not Found')
    return envelope(await called.call(chain, params, 'post'))
  })
}

function requireVerb(verbs: Method['verbs']) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    if (verbs.some((verb) => verb === request.method)) return
    reply.header('allow', verbs.join(', '))
    throw new Failure(405, `method ${request.method} is not supported`)
  }
}

function readObject(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new Failure(422, 'failed to parse post request: the body is no JSON object')
  }
  return body as Readonly<Record<string, unknown>>
}

function envelope(result: unknown): object {
  return { ok: true, result, '@extra': trace() }
}

function writeError(code: number, message: string): object {
  return { ok: false, error: message, code, '@extra': trace() }
}

// ton-http-api-cpp reports the time of a response and the TON node that produced it; this chain has only one node.
function trace(): string {
  return `${Date.now() / 1000}:0`
}
