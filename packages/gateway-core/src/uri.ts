/** Decodes percent-encoded characters; a text with an invalid escape stays unchanged. */
export function decodeLeniently(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
