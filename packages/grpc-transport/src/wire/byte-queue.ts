// Waiting chunks below this size are collected in blocks: a sender of single bytes must not cost an object each.
const smallBytes = 512
const blockBytes = 16_384
// The same applies to chunks that are smaller than this part of their ArrayBuffer, all of which a view retains.
// Otherwise a sender could mix them with bytes that are released soon, so that much more memory is retained than
// counted.
const leastPart = 1 / 4

const nothing = new Uint8Array(0)

/** A FIFO queue of bytes, which are read in chunks of any other size. */
export interface ByteQueue {
  readonly length: number
  push(bytes: Uint8Array): void
  /** Removes and returns buffered bytes: a view if they are in one chunk, otherwise a copy. */
  take(count: number): Uint8Array
  takeByte(): number
  /** Removes and returns four bytes, big-endian. */
  takeUint32(): number
}

export function createByteQueue(): ByteQueue {
  let pieces: Uint8Array[] = []
  // The current chunk, its position in the list, and the number of bytes that were read from it.
  let piece: Uint8Array = nothing
  let place = -1
  let taken = 0
  let length = 0
  // The block behind the last chunk of the list, and the number of its bytes in use.
  let block: Uint8Array | undefined
  let blockEnd = 0

  function push(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    if (length === 0) {
      pieces = []
      piece = bytes
      place = -1
      taken = 0
      block = undefined
    } else if (bytes.length < Math.max(smallBytes, bytes.buffer.byteLength * leastPart)) gather(bytes)
    else {
      pieces.push(bytes)
      block = undefined
    }
    length += bytes.length
  }

  function gather(bytes: Uint8Array): void {
    // A block that is being read is not written to any more: its chunk has a fixed end.
    const isFree = place < pieces.length - 1
    if (block === undefined || !isFree || blockEnd + bytes.length > block.length) {
      block = new Uint8Array(Math.max(blockBytes, bytes.length))
      blockEnd = 0
      pieces.push(block)
    }
    block.set(bytes, blockEnd)
    blockEnd += bytes.length
    pieces[pieces.length - 1] = block.subarray(0, blockEnd)
  }

  function next(): void {
    place += 1
    piece = pieces[place] ?? nothing
    // Released immediately; the list itself is shortened only occasionally, so that a long one is not moved for every
    // chunk.
    pieces[place] = nothing
    taken = 0
    if (place >= 256) {
      pieces = pieces.slice(place)
      place = 0
    }
  }

  function takeByte(): number {
    while (taken === piece.length) next()
    length -= 1
    return piece[taken++] ?? 0
  }

  function takeUint32(): number {
    const rest = piece
    if (rest.length - taken < 4) {
      return takeByte() * 0x1_00_00_00 + ((takeByte() << 16) | (takeByte() << 8) | takeByte())
    }
    const at = taken
    taken += 4
    length -= 4
    const low = ((rest[at + 1] ?? 0) << 16) | ((rest[at + 2] ?? 0) << 8) | (rest[at + 3] ?? 0)
    return (rest[at] ?? 0) * 0x1_00_00_00 + low
  }

  function take(count: number): Uint8Array {
    if (count === 0) return new Uint8Array(0)
    while (taken === piece.length) next()
    length -= count
    if (piece.length - taken >= count) {
      // A plain Uint8Array even if the chunk is a Buffer, whose views are expensive and compare differently.
      const view = new Uint8Array(piece.buffer, piece.byteOffset + taken, count)
      taken += count
      return view
    }
    const copy = new Uint8Array(count)
    for (let filled = 0; ; next()) {
      const part = piece.subarray(taken, taken + count - filled)
      copy.set(part, filled)
      filled += part.length
      taken += part.length
      if (filled === count) return copy
    }
  }

  return {
    get length() {
      return length
    },
    push,
    take,
    takeByte,
    takeUint32,
  }
}
