const jsonRpc = '/api/v2/jsonRPC'

/**
 * Path of the operation of a request. For a JSON-RPC call it is the path of its method, for example
 * `/api/v2/getTransactions`.
 *
 * @param url - URL of the request, with any prefix before `/api`
 * @param body - body of the request; empty or null when it has none
 */
export function operationOf(url: string, body: string | null): string {
  const [path = ''] = /\/api\/v[23]\/[^?]*/.exec(url) ?? []
  return path === jsonRpc && body
    ? `/api/v2/${String((JSON.parse(body) as { method?: unknown }).method)}`
    : path
}
