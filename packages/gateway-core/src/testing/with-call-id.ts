import type { Behaviour } from './serve.ts'

/**
 * Puts the id of the first call of a request into a response.
 *
 * @param request - contains the body of the request
 * @param response - the response, with the id 1
 */
export function withCallId(request: string, response: string): string {
  const [, id = '1'] = /"id":(\d+)/.exec(request) ?? []
  return response.replace(/"id"\s*:\s*1\b/, (member) => member.replace('1', id))
}

/** Reads the body of a request, and puts the id of its first call into a response, as {@link withCallId}. */
export async function responseWithCallId(request: AsyncIterable<unknown>, response: string): Promise<string> {
  let body = ''
  for await (const chunk of request) body += String(chunk)
  return withCallId(body, response)
}

/** A server that responds to every call with the same response, except for its id, which is 1 here. */
export function respondWith(response: string, headers: Readonly<Record<string, string>> = {}): Behaviour {
  return async (request, client) => {
    const text = await responseWithCallId(request, response)
    client.writeHead(200, { 'content-type': 'application/json', ...headers }).end(text)
  }
}
