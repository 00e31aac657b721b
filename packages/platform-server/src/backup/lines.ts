import { StoreError } from '../store/store-error.ts'

/** Maximum length of a line of a backup, in bytes. Rows are far smaller: the platform API accepts bodies of 1 MiB. */
export const maxLineBytes = 64 * 1024 * 1024

const lineFeed = 0x0a

/**
 * Splits UTF-8 text at line feeds only. The text may contain other line separators, such as U+2028, which JSON does not
 * escape.
 *
 * @throws StoreError `STORE_INVALID` when a line is longer than `maxBytes` or not UTF-8
 */
export async function* linesOf(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number = maxLineBytes,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let parts: Buffer[] = []
  let length = 0
  const add = (part: Buffer) => {
    length += part.length
    if (length > maxBytes) {
      throw new StoreError('STORE_INVALID', `The backup has a line of more than ${maxBytes} bytes.`)
    }
    parts.push(part)
  }
  const takeLine = () => {
    const bytes = Buffer.concat(parts)
    parts = []
    length = 0
    return decode(decoder, bytes)
  }
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      add(chunk.subarray(start, end))
      yield takeLine()
      start = end + 1
    }
    if (start < chunk.length) add(chunk.subarray(start))
  }
  if (length > 0) yield takeLine()
}

function decode(decoder: TextDecoder, bytes: Buffer): string {
  try {
    return decoder.decode(bytes)
  } catch (error) {
    throw new StoreError('STORE_INVALID', 'The backup has a line that is not UTF-8.', { cause: error })
  }
}
