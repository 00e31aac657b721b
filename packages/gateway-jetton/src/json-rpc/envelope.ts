import { Readable } from 'node:stream'
import type { StreamedResponse } from '@fairlead/gateway-core/rest/rest-call'
import { JettonError } from '../jetton-error.ts'

// One implementation of nodes repeats ids as texts only, the other one not at all.
const idAtNode = '"1"'

/**
 * Writes the body of a call to a node. Calls go by JSON-RPC and not to the path of the method, as that takes reads by
 * `POST` with one implementation of nodes only; both implementations know JSON-RPC.
 */
export function rpcBody(method: string, paramsText: string): Buffer {
  return Buffer.from(
    `{"jsonrpc":"2.0","id":${idAtNode},"method":${JSON.stringify(method)},"params":${paramsText}}`,
  )
}

/** How an answer begins that is none to a JSON-RPC call. */
export const plainHead = '{'

/** How the answer to a JSON-RPC call begins, with the id as the caller wrote it. */
export function rpcHead(idText: string): string {
  return `{"jsonrpc":"2.0","id":${idText},`
}

/** Gives another head to a whole answer of the API, good or bad, that has no id. */
export function withHead(text: string, head: string): string {
  return text.replace('{', () => head)
}

const own = String.raw`"(?:jsonrpc|id)"\s*:\s*(?:"[^"\\]*"|\d+|null)`
const beginning = new RegExp(String.raw`^\s*\{\s*(?:${own}\s*,\s*)*(?=")`)
const end = new RegExp(String.raw`(?:\s*,\s*${own})*\s*\}\s*$`)
// Longer than everything that a node writes before or behind what the answer is about. The texts that are searched must
// stay short, whatever a client or a node sends: the time that it takes grows with the square of their length.
const edgeBytes = 256

/**
 * Gives the answer of a node another head, without the node's own id if it has one. The rest passes through byte for
 * byte, without being held or parsed.
 *
 * @param body - of the node, not yet read; a JSON object, or the reader fails with {@link JettonError} 502
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

// As many characters as bytes: a character of several bytes may be cut in two.
function searchable(bytes: Buffer): string {
  return bytes.toString('latin1')
}

function noObject(): JettonError {
  return new JettonError(502, 'The node answered something that is not an object.')
}
