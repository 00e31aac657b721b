import { frameMessage } from '@fairlead/grpc-transport'
import { describe, expect, it } from 'vitest'
import { createBase64Decoder, webRequests } from './web-requests.ts'

const bytes = Buffer.from(frameMessage(Uint8Array.from({ length: 40 }, (_, index) => index * 6)))

describe('createBase64Decoder', () => {
  it.each([1, 2, 3, 4, 5, 7, 100])('takes pieces of %i characters', (size) => {
    const { decode } = createBase64Decoder()
    const text = bytes.toString('base64')
    const pieces = text.match(new RegExp(`.{1,${size}}`, 'g')) ?? []
    expect(Buffer.concat(pieces.map((piece) => decode(piece) ?? Buffer.of(0)))).toEqual(bytes)
  })

  it('takes pieces that are padded each, wherever they are cut', () => {
    const text = [bytes.subarray(0, 4), bytes.subarray(4, 9), bytes.subarray(9, 9), bytes.subarray(9)]
      .map((piece) => piece.toString('base64'))
      .join('')
    for (let cut = 0; cut <= text.length; cut++) {
      const { decode } = createBase64Decoder()
      const pieces = [decode(text.slice(0, cut)), decode(text.slice(cut))]
      expect(Buffer.concat(pieces.map((piece) => piece ?? Buffer.of(0)))).toEqual(bytes)
    }
  })

  it.each(['AAA?', '====', 'A===', 'AA=A', 'AAAA=AAA'])('refuses %j', (text) => {
    expect(createBase64Decoder().decode(text)).toBeUndefined()
  })
})

it('webRequests refuses a body that is too long or no base64', async () => {
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
