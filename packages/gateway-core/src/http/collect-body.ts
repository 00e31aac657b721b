/**
 * Reads a body whole.
 *
 * @param take - hears how many bytes come next, before they are kept; what it throws ends the body, so that the rest is not
 * even transferred
 */
export async function collectBody(
  body: AsyncIterable<Uint8Array>,
  take: (bytes: number) => void,
): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) {
    take(chunk.length)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
