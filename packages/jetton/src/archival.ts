import { operationOf } from './nodes/operation.ts'
import type { Send } from './nodes/transport.ts'

// The operations that support the parameter.
const historyOperations = /^\/api\/v2\/getTransactions(Std)?$/

// "lt not in db", "... with specified transaction: not in db", "cannot locate transaction in block with specified
// logical time": the errors of a lite server without the full history.
const notStored = /not in db|cannot locate transaction/

/** Repeats a request for transactions with `archival` when the first node no longer stores them. */
export function withArchival(send: Send): Send {
  return async (request) => {
    const original = request.clone()
    const response = await send(request)
    if (response.ok || !notStored.test(await response.clone().text())) return response
    const body = await original.text()
    const archivalRequest =
      historyOperations.test(operationOf(original.url, body)) && toArchivalRequest(request, body)
    return archivalRequest ? send(archivalRequest) : response
  }
}

// Undefined for a call that sets the parameter itself.
function toArchivalRequest(
  { url: from, method, headers, signal }: Request,
  text: string,
): Request | undefined {
  if (!text) {
    const url = new URL(from)
    if (url.searchParams.has('archival')) return undefined
    url.searchParams.set('archival', 'true')
    return new Request(url, { method, headers, signal })
  }
  const body = JSON.parse(text) as { params?: object }
  const params = body.params ?? body
  if ('archival' in params) return undefined
  const archival = { ...params, archival: true }
  const archivalBody = body.params ? { ...body, params: archival } : archival
  return new Request(from, { method, headers, signal, body: JSON.stringify(archivalBody) })
}
