/** Maximum length of a text for {@link textFrame}. */
export const maxFramedText = 65_535

const minExtendedLength = 126

/**
 * Creates the frame of a WebSocket message from a server, as a string with one character per byte. This costs a
 * fraction of composing it from buffers.
 *
 * @param text - ASCII, at most {@link maxFramedText} characters
 * @see RFC 6455, section 5.2
 */
export function textFrame(text: string): string {
  const { length } = text
  if (length < minExtendedLength) return `\u0081${String.fromCharCode(length)}${text}`
  return `\u0081\u007e${String.fromCharCode(length >> 8, length & 0xff)}${text}`
}
