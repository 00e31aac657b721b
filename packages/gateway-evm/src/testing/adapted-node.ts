import type { IncomingMessage, ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import { adapterOf } from '../adapters/adapters.ts'
import { unknownPolicy } from '../methods/method-policy.ts'
import { dispatchedCall } from './dispatched-call.ts'
import { grantWith } from '@fairlead/gateway-core/testing/limited-grant'
import { MemoryLedger } from '@fairlead/gateway-core/memory/memory-ledger'
import { createEvmUpstream } from '../upstream/evm-upstream.ts'
import type { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'

/** Scripted response to one method: a result, an error, or a function of the params that returns either. */
export type Scripted =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
  | ((params: readonly unknown[]) => Scripted)

/** A fake upstream that imitates an execution client, and the calls that it received. */
export interface ScriptedNode {
  readonly url: string
  readonly received: readonly (readonly [method: string, ...params: unknown[]])[]
}

/** Starts a fake upstream that has only the given methods, until the running test ends. */
export async function scriptedNode(script: Readonly<Record<string, Scripted>>): Promise<ScriptedNode> {
  const received: [string, ...unknown[]][] = []
  const url = await startTestNode(async (request: IncomingMessage, response: ServerResponse) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const { id, method, params } = JSON.parse(text) as { id: unknown; method: string; params: unknown[] }
    received.push([method, ...params])
    let scripted = script[method] ?? {
      error: { code: -32601, message: `the method ${method} does not exist/is not available` },
    }
    while (typeof scripted === 'function') scripted = scripted(params)
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ jsonrpc: '2.0', id, ...scripted }))
  })
  return { url, received }
}

/** Calls methods of an upstream through their adapters, whether or not the specification has them. */
export type AdaptedCall = (method: string, ...params: unknown[]) => Promise<unknown>

/**
 * Connects the adapters to an upstream.
 *
 * @returns a function that returns the result or throws the upstream's error as {@link RpcError}
 */
export function adapted(address: string): AdaptedCall {
  const upstream = createEvmUpstream(address, 30_000, new MemoryLedger(2 ** 29))
  onTestFinished(() => upstream.close())
  return async (name, ...params) => {
    const signal = AbortSignal.timeout(30_000)
    const paramsText = JSON.stringify(params)
    const forwarded = await dispatchedCall({
      grant: grantWith(),
      endpoint: '',
      request: { method: name, params, paramsText, idText: '7' },
      found: undefined,
      method: name,
      policy: unknownPolicy,
      adapter: adapterOf(name),
      params,
      paramsText,
      signal,
      upstream,
    })
    const reading = { method: name, reservation: upstream.reserve(), signal }
    const text = typeof forwarded === 'string' ? forwarded : await forwarded.readWithId('7', reading)
    const { id, result, error } = JSON.parse(text) as { id: number; result?: unknown; error?: RpcError }
    if (id !== 7) throw new Error('The answer has the id of another call.')
    if (error) throw Object.assign(new Error(error.message), error)
    return result
  }
}
