import { expect, it } from 'vitest'
import { transactionHash } from './raw-transaction.ts'

const list = (payload: string) => {
  const length = payload.length / 2
  const hex = length.toString(16).padStart(length > 255 ? 4 : 2, '0')
  if (length <= 55) return `${(0xc0 + length).toString(16)}${payload}`
  return `${(0xf7 + hex.length / 2).toString(16)}${hex}${payload}`
}

it('hashes a signed transaction as EIP-155 does', () => {
  const raw =
    '0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a0' +
    '28ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a0' +
    '67cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83'
  expect(transactionHash(raw)).toBe('0x33469b22e9f636356c4160a87eb19df52b7412e8eac32a4a55ffe88ea8350788')
})

it.each([3, 60, 300])('excludes blobs from the hash of a transaction of %d bytes', (length) => {
  const transaction = list('01'.repeat(length))
  const inner = transactionHash(`0x03${transaction}`)
  expect(inner).toMatch(/^0x[0-9a-f]{64}$/)
  expect(transactionHash(`0x03${list(`${transaction}c0c0c0`)}`)).toBe(inner)
  expect(transactionHash(`0x03${list(`${transaction}01c0c0c0`)}`)).toBe(inner)
})

it.each([undefined, 5, '', '0x', 'f86c', '0xf86', '0x71c0', '0x00c0', '0x7f'])(
  'returns no hash for %j',
  (raw) => {
    expect(transactionHash(raw)).toBeUndefined()
  },
)
