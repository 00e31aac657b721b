/** Decodes percent-encoded characters; a text with an escape that is not valid stays as it is. */
export function decodeLeniently(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
