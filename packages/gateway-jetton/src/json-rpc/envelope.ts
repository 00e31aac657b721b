import { Readable } from 'node:stream'
import type { StreamedResponse } from '@fairlead/gateway-core/rest/rest-call'
import { JettonError } from '../jetton-error.ts'

// One upstream implementation repeats ids only as strings, and the other does not repeat them.
const idAtNode = '"1"'

/**
 * Creates the body of a call to an upstream. Calls use JSON-RPC and not the path of the method: only one upstream
 * implementation accepts reads by `POST` at that path, and both support JSON-RPC.
 */
export function rpcBody(method: string, paramsText: string): Buffer {
  return Buffer.from(
    `{"jsonrpc":"2.0","id":${idAtNode},"method":${JSON.stringify(method)},"params":${paramsText}}`,
  )
}

/** Start of a response that is not a JSON-RPC response. */
export const plainHead = '{'

/** Start of a JSON-RPC response, with the id as the client wrote it. */
export function rpcHead(idText: string): string {
  return `{"jsonrpc":"2.0","id":${idText},`
}

/** Replaces the start of a complete API response, success or error, that has no id. */
export function withHead(text: string, head: string): string {
  return text.replace('{', () => head)
}

const own = String.raw`"(?:jsonrpc|id)"\s*:\s*(?:"[^"\\]*"|\d+|null)`
const beginning = new RegExp(String.raw`^\s*\{\s*(?:${own}\s*,\s*)*(?=")`)
const end = new RegExp(String.raw`(?:\s*,\s*${own})*\s*\}\s*$`)
// Longer than everything that an upstream writes before or after the result. The searched strings must stay short,
// regardless of what a client or an upstream sends: the search time grows with the square of their length.
const edgeBytes = 256

/**
 * Replaces the start of an upstream response, and removes the upstream's id if it has one. The rest passes through byte
 * for byte, without being buffered or parsed.
 *
 * @param body - unread body of the upstream response; a JSON object, otherwise the reader fails with
 * {@link JettonError} 502
 */
export function streamedWithHead(body: StreamedResponse['body'], head: string): StreamedResponse['body'] {
  return Object.assign(Readable.from(spliced(body, head)), { dump: () => body.dump() })
}

async function* spliced(body: StreamedResponse['body'], head: string): AsyncGenerator<Buffer> {
  let kept: Buffer = Buffer.alloc(0)
  let before: Buffer | undefined = Buffer.from(head)
  for await (const chunk of body as AsyncIterable<Buffer>) {
    kept = Buffer.concat([kept, chunk])
    if (kept.length <= 2 * edgeBytes) continue
    if (before) kept = behindHead(kept)
    const passed = kept.subarray(0, -edgeBytes)
    yield before ? Buffer.concat([before, passed]) : passed
    before = undefined
    kept = kept.subarray(-edgeBytes)
  }
  const last = beforeEnd(before ? behindHead(kept) : kept)
  yield Buffer.concat([before ?? Buffer.alloc(0), last, Buffer.from('}')])
}

function behindHead(bytes: Buffer): Buffer {
  const [head] = beginning.exec(searchable(bytes.subarray(0, 2 * edgeBytes))) ?? []
  if (head === undefined) throw noObject()
  return bytes.subarray(head.length)
}

function beforeEnd(bytes: Buffer): Buffer {
  const { index } = end.exec(searchable(bytes)) ?? {}
  if (index === undefined) throw noObject()
  return bytes.subarray(0, index)
}

// As many characters as bytes, because a chunk boundary may split a multi-byte character.
function searchable(bytes: Buffer): string {
  return bytes.toString('latin1')
}

function noObject(): JettonError {
  return new JettonError(502, 'The node answered something that is not an object.')
}
