import { frameMessage } from '@fairlead/grpc-transport'
import { describe, expect, it } from 'vitest'
import { createBase64Decoder, webRequests } from './web-requests.ts'

const bytes = Buffer.from(frameMessage(Uint8Array.from({ length: 40 }, (_, index) => index * 6)))

describe('createBase64Decoder', () => {
  it.each([1, 2, 3, 4, 5, 7, 100])('accepts chunks of %i characters', (size) => {
    const { decode } = createBase64Decoder()
    const text = bytes.toString('base64')
    const chunks = text.match(new RegExp(`.{1,${size}}`, 'g')) ?? []
    expect(Buffer.concat(chunks.map((chunk) => decode(chunk) ?? Buffer.of(0)))).toEqual(bytes)
  })

  it('accepts separately padded parts at every split position', () => {
    const text = [bytes.subarray(0, 4), bytes.subarray(4, 9), bytes.subarray(9, 9), bytes.subarray(9)]
      .map((chunk) => chunk.toString('base64'))
      .join('')
    for (let splitAt = 0; splitAt <= text.length; splitAt++) {
      const { decode } = createBase64Decoder()
      const chunks = [decode(text.slice(0, splitAt)), decode(text.slice(splitAt))]
      expect(Buffer.concat(chunks.map((chunk) => chunk ?? Buffer.of(0)))).toEqual(bytes)
    }
  })

  it.each(['AAA?', '====', 'A===', 'AA=A', 'AAAA=AAA'])('rejects %j', (text) => {
    expect(createBase64Decoder().decode(text)).toBeUndefined()
  })
})

it('webRequests rejects a body that is too long or not base64', async () => {
  const outcome = async (text: string, isText: boolean) => {
    const requests = webRequests(8, isText)
    requests.end(text)
    return requests.toArray().then(
      (chunks: Buffer[]) => Buffer.concat(chunks).toString(),
      (error: unknown) => String(error),
    )
  }
  expect(await outcome('12345678', false)).toBe('12345678')
  expect(await outcome('123456789', false)).toContain('RESOURCE_EXHAUSTED')
  expect(await outcome('YWI=YWI=', true)).toBe('abab')
  expect(await outcome('YWI=YWI', true)).toContain('INVALID_ARGUMENT')
  expect(await outcome('not b64!', true)).toContain('INVALID_ARGUMENT')
})
