import { describe, expect, test } from 'vitest'
import { frameMessage } from './frame.ts'
import { createFrameReader, type FrameReader } from './frame-reader.ts'
import { Status } from './status.ts'

const messages = [bytes(3), new Uint8Array(0), bytes(700), bytes(1), new Uint8Array(0)]
const stream = join(messages.map((message) => frameMessage(message)))

describe('createFrameReader', () => {
  test('returns messages in one chunk without a copy', () => {
    const frames = createFrameReader({ maxMessageBytes: 1000 })
    frames.push(stream)
    const read = readAll(frames)
    expect(read).toEqual(messages)
    expect(read[2]?.buffer).toBe(stream.buffer)
    expect(frames.waitingBytes).toBe(0)
    frames.end()
  })

  test('reads messages with any chunk boundaries', () => {
    for (let cut = 0; cut <= stream.length; cut++) {
      const frames = createFrameReader({ maxMessageBytes: 1000 })
      frames.push(stream.subarray(0, cut))
      const before = readAll(frames)
      frames.push(stream.subarray(cut))
      expect([...before, ...readAll(frames)]).toEqual(messages)
    }
  })

  test('reads messages in chunks of any size, immediately or at the end', () => {
    for (const size of [1, 2, 3, 5, 64, 511, 512, 600]) {
      for (const readsAtOnce of [true, false]) {
        const frames = createFrameReader({ maxMessageBytes: 1000 })
        const read: Uint8Array[] = []
        for (let at = 0; at < stream.length; at += size) {
          frames.push(stream.subarray(at, at + size))
          if (readsAtOnce) read.push(...readAll(frames))
        }
        expect([...read, ...readAll(frames)]).toEqual(messages)
      }
    }
  })

  test('preserves returned messages while more small chunks arrive', () => {
    const frames = createFrameReader({ maxMessageBytes: 100_000 })
    const read: Uint8Array[] = []
    for (let round = 0; round < 2000; round++) {
      const framed = frameMessage(Uint8Array.of(round, round >>> 8))
      frames.push(framed.subarray(0, 4))
      frames.push(framed.subarray(4))
      if (round % 3 === 0) read.push(...readAll(frames))
    }
    read.push(...readAll(frames))
    expect(read.map(([low = 0, high = 0]) => low + high * 256)).toEqual([...Array(2000).keys()])
  })

  test('retains no large buffer for a small pending chunk', () => {
    const large = new Uint8Array(65_536).fill(7)
    const frames = createFrameReader({ maxMessageBytes: 10_000 })
    frames.push(frameMessage(new Uint8Array(2_000)).subarray(0, 1_005))
    frames.push(large.subarray(0, 1_000))
    // A view would show the overwritten bytes.
    large.fill(0)
    expect(frames.read()?.subarray(1_000)).toEqual(new Uint8Array(1_000).fill(7))
  })

  test('reads a length of 32 bits', () => {
    const head = Uint8Array.of(0, 0xff, 0xff, 0xff, 0xff)
    for (const cut of [0, 2]) {
      const frames = createFrameReader({ maxMessageBytes: 2 ** 32 })
      frames.push(head.subarray(0, cut))
      frames.push(head.subarray(cut))
      expect(frames.isReady()).toBe(false)
      expect(createFrameReader({ maxMessageBytes: 2 ** 32 - 2 }).waitingBytes).toBe(0)
    }
    const strict = createFrameReader({ maxMessageBytes: 2 ** 32 - 2 })
    strict.push(head)
    expect(() => strict.read()).toThrow('RESOURCE_EXHAUSTED: a message of 4294967295 bytes')
  })

  test('rejects a message that is too large by its head, after the messages before it', () => {
    const frames = createFrameReader({ maxMessageBytes: 2 })
    frames.push(frameMessage(bytes(2)))
    frames.push(frameMessage(bytes(3)).subarray(0, 5))
    expect(frames.read()).toEqual(bytes(2))
    expect(() => frames.isReady()).toThrow(
      expect.objectContaining({
        code: Status.RESOURCE_EXHAUSTED,
        detail: 'a message of 3 bytes is larger than the limit of 2',
      }),
    )
  })

  test('rejects unknown flags and compression that was not negotiated', () => {
    for (const flag of [1, 2, 0x80, 0xff]) {
      const frames = createFrameReader({ maxMessageBytes: 10 })
      frames.push(Uint8Array.of(flag, 0, 0, 0, 0))
      expect(() => frames.read()).toThrow(expect.objectContaining({ code: Status.INTERNAL }))
    }
  })

  test('decompresses only compressed messages', () => {
    const frames = createFrameReader({
      maxMessageBytes: 10,
      decompress: (message) => message.map((b) => b + 1),
    })
    frames.push(frameMessage(bytes(2), true))
    frames.push(frameMessage(bytes(2)))
    expect(readAll(frames)).toEqual([Uint8Array.of(1, 2), bytes(2)])
  })

  test('reports the trailers of gRPC-web', () => {
    const blocks: Uint8Array[] = []
    const frames = createFrameReader({ maxMessageBytes: 10, onTrailers: (block) => blocks.push(block) })
    frames.push(frameMessage(bytes(2)))
    frames.push(Uint8Array.of(0x80, 0, 0, 0, 1, 9))
    expect(readAll(frames)).toEqual([bytes(2)])
    expect(blocks).toEqual([Uint8Array.of(9)])
    frames.end()
  })

  test('rejects an end inside a message', () => {
    for (let cut = 1; cut < 8; cut++) {
      const frames = createFrameReader({ maxMessageBytes: 10 })
      frames.push(frameMessage(bytes(3)).subarray(0, cut))
      expect(frames.read()).toBeUndefined()
      expect(() => frames.end()).toThrow('INTERNAL: the stream ended inside a message')
    }
  })
})

function bytes(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => index)
}

function join(chunks: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(chunks.flatMap((chunk) => [...chunk]))
}

function readAll(frames: FrameReader): Uint8Array[] {
  const read: Uint8Array[] = []
  for (let message = frames.read(); message !== undefined; message = frames.read()) read.push(message)
  return read
}
