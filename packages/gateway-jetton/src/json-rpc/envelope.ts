import { Readable } from 'node:stream'
import type { StreamedResponse } from '@fairlead/gateway-core/rest/rest-call'
import { JettonError } from '../jetton-error.ts'

// One upstream implementation repeats ids only as strings, and the other does not repeat them.
const upstreamId = '"1"'

/**
 * Creates the body of a call to an upstream. Calls use JSON-RPC and not the path of the method: only one upstream
 * implementation accepts reads by `POST` at that path, and both support JSON-RPC.
 */
export function rpcBody(method: string, paramsText: string): Buffer {
  return Buffer.from(
    `{"jsonrpc":"2.0","id":${upstreamId},"method":${JSON.stringify(method)},"params":${paramsText}}`,
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

const envelopeMember = String.raw`"(?:jsonrpc|id)"\s*:\s*(?:"[^"\\]*"|\d+|null)`
const startPattern = new RegExp(String.raw`^\s*\{\s*(?:${envelopeMember}\s*,\s*)*(?=")`)
const endPattern = new RegExp(String.raw`(?:\s*,\s*${envelopeMember})*\s*\}\s*$`)
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
  return Object.assign(Readable.from(replaceHead(body, head)), { dump: () => body.dump() })
}

async function* replaceHead(body: StreamedResponse['body'], head: string): AsyncGenerator<Buffer> {
  let buffered: Buffer = Buffer.alloc(0)
  let pendingHead: Buffer | undefined = Buffer.from(head)
  for await (const chunk of body as AsyncIterable<Buffer>) {
    buffered = Buffer.concat([buffered, chunk])
    if (buffered.length <= 2 * edgeBytes) continue
    if (pendingHead) buffered = removeStart(buffered)
    const ready = buffered.subarray(0, -edgeBytes)
    yield pendingHead ? Buffer.concat([pendingHead, ready]) : ready
    pendingHead = undefined
    buffered = buffered.subarray(-edgeBytes)
  }
  const last = removeEnd(pendingHead ? removeStart(buffered) : buffered)
  yield Buffer.concat([pendingHead ?? Buffer.alloc(0), last, Buffer.from('}')])
}

function removeStart(bytes: Buffer): Buffer {
  const [head] = startPattern.exec(searchable(bytes.subarray(0, 2 * edgeBytes))) ?? []
  if (head === undefined) throw notAnObject()
  return bytes.subarray(head.length)
}

function removeEnd(bytes: Buffer): Buffer {
  const { index } = endPattern.exec(searchable(bytes)) ?? {}
  if (index === undefined) throw notAnObject()
  return bytes.subarray(0, index)
}

// As many characters as bytes, because a chunk boundary may split a multi-byte character.
function searchable(bytes: Buffer): string {
  return bytes.toString('latin1')
}

function notAnObject(): JettonError {
  return new JettonError(502, 'The response of the upstream is not an object.')
}
