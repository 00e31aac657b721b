import { GrpcError, Status } from '@fairlead/grpc-transport/wire'

/** Writes bytes as base64, with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  let text = ''
  // In pieces, as a function takes only so many arguments.
  for (let start = 0; start < bytes.length; start += 8_192) {
    text += String.fromCharCode(...bytes.subarray(start, start + 8_192))
  }
  return btoa(text)
}

/**
 * Makes a function that reads base64 which arrives in pieces, cut anywhere; each part of it may end with padding of its
 * own.
 *
 * @throws GrpcError INTERNAL, from the function, for what is no base64
 * @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md (text-encoded streams)
 */
export function createBase64Reader(): (piece: Uint8Array) => Uint8Array {
  const decoder = new TextDecoder('latin1')
  let waiting = ''
  return (piece) => {
    waiting += decoder.decode(piece)
    const whole = waiting.length - (waiting.length % 4)
    const text = waiting.slice(0, whole)
    waiting = waiting.slice(whole)
    const bytes = (text.match(/[^=]+={0,2}/g) ?? []).map(decode).join('')
    return Uint8Array.from(bytes, (character) => character.charCodeAt(0))
  }
}

function decode(base64: string): string {
  try {
    return atob(base64)
  } catch {
    throw new GrpcError(Status.INTERNAL, 'the server sent text that is no base64')
  }
}
