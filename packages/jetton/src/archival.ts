import { operationOf } from './nodes/operation.ts'
import type { Send } from './nodes/transport.ts'

// The operations that support the parameter.
const histories = /^\/api\/v2\/getTransactions(Std)?$/

// "lt not in db", "... with specified transaction: not in db", "cannot locate transaction in block with specified
// logical time": the errors of a lite server without the full history.
const notKept = /not in db|cannot locate transaction/

/** Repeats a request for transactions with `archival` when the first node no longer stores them. */
export function withArchival(send: Send): Send {
  return async (request) => {
    const asked = request.clone()
    const answer = await send(request)
    if (answer.ok || !notKept.test(await answer.clone().text())) return answer
    const body = await asked.text()
    const second = histories.test(operationOf(asked.url, body)) && inArchive(request, body)
    return second ? send(second) : answer
  }
}

// Undefined for a call that sets the parameter itself.
function inArchive({ url: from, method, headers, signal }: Request, text: string): Request | undefined {
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
  const again = body.params ? { ...body, params: archival } : archival
  return new Request(from, { method, headers, signal, body: JSON.stringify(again) })
}
