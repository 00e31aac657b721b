import { expect, it } from 'vitest'
import { maxFramedText, textFrame } from './text-frame.ts'

it.each([0, 1, 125, 126, 255, 256, 16_384, maxFramedText])(
  'encodes the length of a text of %d characters as in RFC 6455',
  (length) => {
    const text = 'x'.repeat(length)
    const bytes = Buffer.from(textFrame(text), 'latin1')
    const [encodedLength, start] = bytes[1] === 126 ? [bytes.readUInt16BE(2), 4] : [bytes[1], 2]
    // The final frame of a text message, without a mask.
    expect(bytes[0]).toBe(0x81)
    expect(encodedLength).toBe(length)
    expect(bytes.subarray(start).toString()).toBe(text)
    expect(bytes[1] === 126).toBe(length > 125)
  },
)
