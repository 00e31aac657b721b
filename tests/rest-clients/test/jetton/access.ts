import type { JettonNode } from '@fairlead/e2e-tests/gateway'

/** Raw HTTP requests to the jetton chain of a gateway. */
export interface JettonAccess {
  readonly node: JettonNode
  /** URL before `/api`, with the token. */
  readonly url: string
  /** Sends a request. The path starts with `/api`. */
  call(path: string, init?: RequestInit): Promise<Response>
  /** Sends a body as JSON. A string is sent unchanged. */
  post(path: string, body: unknown): Promise<Response>
  /** Calls a JSON-RPC method. */
  rpc(method: string, params: unknown, id?: unknown): Promise<Response>
  /** Reads a path of family v2 and returns the result in its envelope. */
  read<result>(method: string, query: Query): Promise<result>
  /** Reads a path of family v3 and returns the response. */
  list<rows>(path: string, query: Query): Promise<rows>
}

type Query = Readonly<Record<string, unknown>>

/** Creates an accessor for the node with its token. */
export function jettonAccess(node: JettonNode): JettonAccess {
  const url = `${node.node_url}/${node.token}`
  const call = (path: string, init?: RequestInit) => fetch(url + path, init)
  const post = (path: string, body: unknown) =>
    call(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const json = async (path: string) => {
    const response = await call(path)
    const text = await response.text()
    if (!response.ok) throw new Error(`${path.split('?')[0]} returned ${response.status}: ${text}`)
    return JSON.parse(text) as unknown
  }
  return {
    node,
    url,
    call,
    post,
    rpc: (method, params, id = 1) => post('/api/v2/jsonRPC', { jsonrpc: '2.0', id, method, params }),
    read: async <result>(method: string, query: Query) =>
      ((await json(withQuery(`/api/v2/${method}`, query))) as { result: result }).result,
    list: async <rows>(path: string, query: Query) =>
      (await json(withQuery(`/api/v3/${path}`, query))) as rows,
  }
}

/** Appends parameters to a path as a query. A list repeats its name. */
export function withQuery(path: string, query: Query): string {
  const values = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((item) => [name, String(item)]),
  )
  return values.length === 0 ? path : `${path}?${new URLSearchParams(values).toString()}`
}
