import { jsonMembers } from '../json-rpc/json-parts.ts'
import { RpcFailure, rpcCodes } from '../json-rpc/rpc-failure.ts'
import { errorObjectText, resultText } from '../json-rpc/rpc-text.ts'
import type { UpstreamAnswer } from './upstream-answer.ts'
import { unavailable, unreadable } from './upstream-failure.ts'

/** How many bytes of answers may still be held in memory for one request. */
export interface Room {
  bytes: number
}

/**
 * Reads a node's answer to its end.
 *
 * @param answer - not yet read
 * @param room - shrinks by what is kept
 * @param signal - what the exchange runs under
 * @throws {@link RpcFailure} -32005 when there is no room, else as {@link Upstream.post}
 */
export async function readAnswer({ body }: UpstreamAnswer, room: Room, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      length += chunk.length
      room.bytes -= chunk.length
      // Leaving the loop ends the exchange, so that the rest is not even transferred.
      if (room.bytes < 0) throw new RpcFailure(rpcCodes.limitExceeded, 'The answer is too large.')
      chunks.push(chunk)
    }
  } catch (error) {
    // What is not kept makes room for the other answers.
    room.bytes += length
    throw error instanceof RpcFailure ? error : unavailable(error, signal)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/**
 * Reads a node's answer to its end and puts it under another id; result and error stay as the node wrote them.
 *
 * @throws {@link RpcFailure} with status 502 when it is no JSON-RPC answer, else as {@link readAnswer}
 */
export async function answerText(
  answer: UpstreamAnswer,
  idText: string,
  room: Room,
  signal: AbortSignal,
): Promise<string> {
  const text = await readAnswer(answer, room, signal)
  const value = parseAnswer(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unreadable()
  const members = jsonMembers(text)
  const error = members.get('error')
  if (error !== undefined && error !== 'null') return errorObjectText(idText, error)
  const result = members.get('result')
  if (result === undefined) throw unreadable()
  return resultText(idText, result)
}

/** @throws {@link RpcFailure} with status 502 when the text is not JSON */
export function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw unreadable()
  }
}
