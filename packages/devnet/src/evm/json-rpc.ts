/**
 * Calls one JSON-RPC method of a local engine.
 *
 * @param url URL of the engine.
 * @param method Method name.
 * @param params Positional parameters.
 * @param signal Aborts the call.
 * @returns The result, not validated.
 * @throws Error when the engine does not respond or returns an error object.
 * @example
 * const chainId = await callEngine<string>('http://127.0.0.1:8545', 'eth_chainId')
 */
export async function callEngine<result>(
  url: string,
  method: string,
  params: readonly unknown[] = [],
  signal?: AbortSignal,
): Promise<result> {
  const response = await fetch(url, { ...jsonRpcRequest(method, params), signal: signal ?? null })
  const body: { result: result; error?: { message: string } } = await response.json()
  if (body.error !== undefined) throw new Error(`${method}: ${body.error.message}`)
  return body.result
}

/**
 * Builds the request of one JSON-RPC call.
 *
 * @param method Method name.
 * @param params Positional parameters.
 * @returns The `fetch` options, without the URL.
 */
export function jsonRpcRequest(method: string, params: readonly unknown[]) {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  }
}
