import { GrpcError, Status } from '@fairlead/grpc-transport/wire'

/** Encodes bytes as base64, with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  let text = ''
  // In chunks, because the number of function arguments is limited.
  for (let start = 0; start < bytes.length; start += 8_192) {
    text += String.fromCharCode(...bytes.subarray(start, start + 8_192))
  }
  return btoa(text)
}

/**
 * Creates a function that decodes base64 in chunks of any size; each part of it may end with its own padding.
 *
 * @throws GrpcError INTERNAL, from the function, for invalid base64
 * @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md (text-encoded streams)
 */
export function createBase64Reader(): (chunk: Uint8Array) => Uint8Array {
  const decoder = new TextDecoder('latin1')
  let waiting = ''
  return (chunk) => {
    waiting += decoder.decode(chunk)
    const decodableLength = waiting.length - (waiting.length % 4)
    const text = waiting.slice(0, decodableLength)
    waiting = waiting.slice(decodableLength)
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
