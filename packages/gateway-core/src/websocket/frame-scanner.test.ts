import { expect, it } from 'vitest'
import { FrameScanner } from './frame-scanner.ts'

/** A masked frame with this many bytes of payload. */
function frame(length: number): Buffer {
  const mask = [1, 2, 3, 4]
  if (length < 126) return Buffer.concat([Buffer.of(0x81, 0x80 | length, ...mask), Buffer.alloc(length, 7)])
  const extended = length < 65_536 ? Buffer.alloc(2) : Buffer.alloc(8)
  if (extended.length === 2) extended.writeUInt16BE(length)
  else extended.writeBigUInt64BE(BigInt(length))
  return Buffer.concat([
    Buffer.of(0x81, 0x80 | (extended.length === 2 ? 126 : 127)),
    extended,
    Buffer.from(mask),
    Buffer.alloc(length, 7),
  ])
}

/** Ends of the frames of a stream that arrives in chunks of this size. */
function endsOf(stream: Buffer, chunkLength: number): number[] {
  const scanner = new FrameScanner()
  const ends: number[] = []
  for (let start = 0; start < stream.length; start += chunkLength) {
    const chunk = stream.subarray(start, start + chunkLength)
    // A frame that ends with the chunk and one that does not end look the same: only ends inside of it are certain.
    for (let at = 0; at < chunk.length;) {
      at = scanner.endOf(1, chunk, at)
      ends.push(start + at)
    }
  }
  return ends
}

const lengths = [0, 1, 125, 126, 127, 300, 65_535, 65_536, 70_000, 0, 0, 5]

it.each([1, 2, 3, 5, 7, 14, 100, 4_096, 65_536, 1_000_000])(
  'finds the ends of frames in chunks of %i bytes',
  (size) => {
    const frames = lengths.map(frame)
    const stream = Buffer.concat(frames)
    let end = 0
    const expected = frames.map(({ length }) => (end += length))
    const ends = new Set(endsOf(stream, size))
    expect(expected.filter((each) => !ends.has(each))).toEqual([])
    for (const each of ends) {
      expect(expected.includes(each) || each % size === 0 || each === stream.length).toBe(true)
    }
  },
)

it('reads the given number of frames, also without a payload and without a mask', () => {
  const scanner = new FrameScanner()
  const chunk = Buffer.concat([Buffer.of(0x89, 0), Buffer.of(0x81, 1, 7), frame(2), frame(3)])
  const first = scanner.endOf(2, chunk, 0)
  expect(first).toBe(5)
  expect(scanner.endOf(1, chunk, first)).toBe(5 + 8)
  expect(scanner.endOf(9, chunk, 13)).toBe(chunk.length)
})
