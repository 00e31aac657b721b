// Waiting chunks below this size are collected in blocks: a sender of single bytes must not cost an object each.
const smallBytes = 512
const blockBytes = 16_384
// The same applies to chunks that are smaller than this part of their ArrayBuffer, all of which a view retains.
// Otherwise a sender could mix them with bytes that are released soon, so that much more memory is retained than
// counted.
const minViewRatio = 1 / 4

const emptyBytes = new Uint8Array(0)

/** A FIFO queue of bytes, which are read in chunks of any other size. */
export interface ByteQueue {
  readonly length: number
  push(bytes: Uint8Array): void
  /** Removes and returns buffered bytes: a view if they are in one chunk, otherwise a copy. */
  read(count: number): Uint8Array
  readByte(): number
  /** Removes and returns four bytes, big-endian. */
  readUint32(): number
}

export function createByteQueue(): ByteQueue {
  let chunks: Uint8Array[] = []
  // The current chunk, its position in the list, and the number of bytes that were read from it.
  let chunk: Uint8Array = emptyBytes
  let index = -1
  let offset = 0
  let length = 0
  // The block behind the last chunk of the list, and the number of its bytes in use.
  let block: Uint8Array | undefined
  let blockEnd = 0

  function push(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    if (length === 0) {
      chunks = []
      chunk = bytes
      index = -1
      offset = 0
      block = undefined
    } else if (bytes.length < Math.max(smallBytes, bytes.buffer.byteLength * minViewRatio))
      appendToBlock(bytes)
    else {
      chunks.push(bytes)
      block = undefined
    }
    length += bytes.length
  }

  function appendToBlock(bytes: Uint8Array): void {
    // A block that is being read is not written to any more: its chunk has a fixed end.
    const isFree = index < chunks.length - 1
    if (block === undefined || !isFree || blockEnd + bytes.length > block.length) {
      block = new Uint8Array(Math.max(blockBytes, bytes.length))
      blockEnd = 0
      chunks.push(block)
    }
    block.set(bytes, blockEnd)
    blockEnd += bytes.length
    chunks[chunks.length - 1] = block.subarray(0, blockEnd)
  }

  function next(): void {
    index += 1
    chunk = chunks[index] ?? emptyBytes
    // Released immediately; the list itself is shortened only occasionally, so that a long one is not moved for every
    // chunk.
    chunks[index] = emptyBytes
    offset = 0
    if (index >= 256) {
      chunks = chunks.slice(index)
      index = 0
    }
  }

  function readByte(): number {
    while (offset === chunk.length) next()
    length -= 1
    return chunk[offset++] ?? 0
  }

  function readUint32(): number {
    const current = chunk
    if (current.length - offset < 4) {
      return readByte() * 0x1_00_00_00 + ((readByte() << 16) | (readByte() << 8) | readByte())
    }
    const at = offset
    offset += 4
    length -= 4
    const low = ((current[at + 1] ?? 0) << 16) | ((current[at + 2] ?? 0) << 8) | (current[at + 3] ?? 0)
    return (current[at] ?? 0) * 0x1_00_00_00 + low
  }

  function read(count: number): Uint8Array {
    if (count === 0) return new Uint8Array(0)
    while (offset === chunk.length) next()
    length -= count
    if (chunk.length - offset >= count) {
      // A plain Uint8Array even if the chunk is a Buffer, whose views are expensive and compare differently.
      const view = new Uint8Array(chunk.buffer, chunk.byteOffset + offset, count)
      offset += count
      return view
    }
    const copy = new Uint8Array(count)
    for (let filled = 0; ; next()) {
      const slice = chunk.subarray(offset, offset + count - filled)
      copy.set(slice, filled)
      filled += slice.length
      offset += slice.length
      if (filled === count) return copy
    }
  }

  return {
    get length() {
      return length
    },
    push,
    read,
    readByte,
    readUint32,
  }
}
