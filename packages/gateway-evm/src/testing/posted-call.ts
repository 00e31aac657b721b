import { type ListenerFixture, token } from './listener-fixture.ts'

/** The response to a call over HTTP. */
export interface PostedReply {
  readonly status: number
  readonly retryAfter: string | null
  readonly text: string
  readonly body: { readonly result?: unknown; readonly error?: Readonly<Record<string, unknown>> | null }
}

/** Sends one call to a gateway. */
export async function postCall(
  gateway: ListenerFixture,
  method: string,
  params: readonly unknown[],
): Promise<PostedReply> {
  const call = JSON.stringify({ jsonrpc: '2.0', id: 5, method, params })
  const response = await fetch(`${gateway.url}/${token}`, { method: 'POST', body: call })
  const text = await response.text()
  const body = JSON.parse(text) as PostedReply['body']
  return { status: response.status, retryAfter: response.headers.get('retry-after'), text, body }
}
