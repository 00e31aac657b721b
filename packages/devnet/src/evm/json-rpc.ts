/**
 * Calls one JSON-RPC method of a local engine.
 *
 * @param url Address of the engine.
 * @param method Method name.
 * @param params Positional parameters.
 * @param signal Ends the call early.
 * @returns The result, unchecked.
 * @throws Error when the engine does not answer or answers an error object.
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
 * @returns What `fetch` needs besides the address.
 */
export function jsonRpcRequest(method: string, params: readonly unknown[]) {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  }
}
