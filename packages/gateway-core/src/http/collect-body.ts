/**
 * Reads a whole body.
 *
 * @param take - called with the number of bytes of each chunk before it is buffered; an error that it throws ends the
 * body, so that the rest is not transferred
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
