import { pino } from 'pino'
import { onTestFinished, vi } from 'vitest'
import { TickBudget } from '@fairlead/gateway-core/admission/tick-budget'
import { MemoryLedger } from '@fairlead/gateway-core/memory/memory-ledger'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { parseBody } from '@fairlead/gateway-core/json-rpc/parse-body'
import type { RpcRequest } from '@fairlead/gateway-core/json-rpc/types'
import type { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { type ResolvedCall, resolvedCall } from '../methods/resolve-method.ts'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import {
  type ResponseCaches,
  type ResponseCacheOptions,
  createResponseCaches,
  type NodeCache,
} from '../cache/caches.ts'
import { beginCalls, type HandledCall } from '../call-handler.ts'
import { sendToUpstream } from '../upstream/send-to-upstream.ts'
import { dispatchedCall } from './dispatched-call.ts'
import { createEvmUpstreams } from '../upstream/evm-upstreams.ts'
import type { UpstreamState } from '@fairlead/gateway-core/upstream/pool-member'

type Params = readonly unknown[]

/** Scripted response in place of the real upstream: a result, an error, or undefined to use the real response. */
export type Script = (params: Params) => object | undefined | Promise<object | undefined>

/** A real upstream behind a counting proxy with scripted responses. */
export interface CountedNode {
  readonly url: string
  /** Returns the params of every call so far, by method. */
  received(method: string): readonly Params[]
  /** Scripted responses by method. They may change at any time. */
  readonly scripts: Map<string, Script>
}

/**
 * Starts a proxy in front of an upstream until the running test ends. The upstream no longer looks like a development
 * chain.
 */
export async function countedNode(node: string): Promise<CountedNode> {
  const received = new Map<string, Params[]>()
  const scripts = new Map<string, Script>([
    ['web3_clientVersion', () => ({ result: 'Geth/v1.16.0' })],
    ['eth_chainId', () => ({ result: '0x4d2' })],
  ])
  const url = await startTestNode(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const { id, method, params } = JSON.parse(body) as { id: unknown; method: string; params: Params }
    received.set(method, [...(received.get(method) ?? []), params])
    const scripted = await scripts.get(method)?.(params)
    const text = scripted
      ? JSON.stringify({ jsonrpc: '2.0', id, ...scripted })
      : await (
          await fetch(node, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
        ).text()
    response.setHeader('content-type', 'application/json').end(text)
  })
  return { url, received: (method) => received.get(method) ?? [], scripts }
}

/** Options of a test call. */
export interface CallOptions {
  readonly credentialId?: string
  readonly organizationId?: string
  readonly signal?: AbortSignal
  /** The params as JSON text from the caller. */
  readonly paramsText?: string
  readonly maxLogRange?: number
}

/** A node with a response cache. */
export interface CachingNode {
  /** Returns the result or throws the error. */
  call(method: string, params?: Params, options?: CallOptions): Promise<unknown>
  /** Returns the results of a batch, with an error in place of each failed one. */
  batch(calls: readonly (readonly [method: string, ...params: unknown[]])[]): Promise<readonly unknown[]>
  readonly memory: NodeCache<ResolvedCall>
  readonly change: ResponseCaches<ResolvedCall>['change']
  /** Changes the upstreams of the node. */
  changeUpstreams(text: string): void
  states(): ReturnType<ReturnType<typeof createResponseCaches>['states']>
  upstreamStates(): readonly UpstreamState[]
  /** Resolves when enough is known of the chain to cache its responses. */
  waitForChain(): Promise<void>
}

const grantOf = (evm: string): Grant => ({
  credentialId: 'credential',
  kind: 'token',
  nodeId: 'node',
  projectId: 'project',
  organizationId: 'organization',
  chain: 'evm',
  network: 'devnet',
  protocols: ['evm'],
  upstreams: { evm },
})

/** Opens a node for a text of upstream URLs, until the running test ends. */
export function cachingNode(
  text: string,
  options: Partial<ResponseCacheOptions<ResolvedCall>> = {},
): CachingNode {
  const upstreams = createEvmUpstreams(20_000, {}, new MemoryLedger(2 ** 29), { pollMs: 50, hedges: false })
  const caches = createResponseCaches<ResolvedCall>({
    send: sendToUpstream,
    maxBytes: 2 ** 26,
    budget: new TickBudget(),
    headMs: 0,
    upstreamLogRange: 0,
    chainOf: (grant) => upstreams.chainOf(grant),
    ...options,
  })
  onTestFinished(() => upstreams.close())
  let grant = grantOf(text)
  const node = upstreams.of(grant, 'evm')
  const dispatched = async (request: RpcRequest, overrides: Partial<ResolvedCall>) => {
    const upstream = upstreams.forCall(grant)
    const reservation = upstream.reserve()
    const signal = overrides.signal ?? AbortSignal.timeout(20_000)
    const call = resolvedCall(request, { grant, endpoint: '', signal, upstream, caches, ...overrides })
    const forwarded = await dispatchedCall(call, reservation)
    const response = typeof forwarded === 'string' ? forwarded : await forwarded.readText(reservation, signal)
    reservation.release()
    const { id, result, error } = JSON.parse(response) as { id: unknown; result?: unknown; error?: RpcError }
    if (String(id) !== request.idText) throw new Error('The answer has the id of another call.')
    if (error) throw Object.assign(new Error(error.message), error)
    return result
  }
  let id = 0
  return {
    memory: caches.of(node, grant),
    change: (settings) => caches.change(settings),
    changeUpstreams: (next) => {
      grant = grantOf(next)
      upstreams.of(grant, 'evm')
    },
    states: () => caches.states(),
    upstreamStates: () => upstreams.states(),
    call: (
      method,
      params = [],
      { credentialId = 'credential', organizationId = 'organization', signal, paramsText, maxLogRange } = {},
    ) => {
      id += 1
      const written = paramsText ?? JSON.stringify(params)
      const request = {
        method,
        params: JSON.parse(written) as Params,
        paramsText: written,
        idText: String(id),
      }
      return dispatched(request, {
        grant: { ...grant, credentialId, organizationId },
        maxLogRange,
        ...(signal && { signal }),
      })
    },
    batch: async (calls) => {
      const texts = calls.map(([method, ...params], at) => ({ jsonrpc: '2.0', id: at, method, params }))
      const { items } = parseBody(Buffer.from(JSON.stringify(texts)), 1_000)
      const signal = AbortSignal.timeout(20_000)
      const upstream = upstreams.forCall(grant)
      const context = {
        grant,
        endpoint: '',
        signal,
        caches,
        upstream,
        log: pino({ level: 'silent' }),
      } as const
      const reservation = upstream.reserve()
      const results = await new Promise<readonly HandledCall[]>((done) =>
        beginCalls(items, context, done, reservation),
      )
      reservation.release()
      return results.map(({ content }) => {
        const { result, error } = JSON.parse(content as string) as { result?: unknown; error?: RpcError }
        return error ? Object.assign(new Error(error.message), error) : result
      })
    },
    waitForChain: async () => {
      const { chain } = caches.of(node, grant)
      await vi.waitFor(
        () => {
          if (chain.finalized === undefined) throw new Error('nothing is known of the chain')
        },
        { timeout: 50_000 },
      )
    },
  }
}
