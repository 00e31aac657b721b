import { describe, expect, it } from 'vitest'
import { secretEncodings } from '../testing/secret-encodings.ts'
import { containsSecret, redactDeep, redactJsonDeep } from './redact-deep.ts'

const secret = 'k7Qz-9f2b_Lm4x8Wc1Rt6Vy3'
const encodings = secretEncodings(secret)

describe('redactDeep', () => {
  it.each(encodings)('redacts a secret %s', (_, text) => {
    const message = `header not found; upstream ${text} refused block 12`
    const clean = redactDeep(message, [secret])
    expect(clean).not.toContain(text)
    expect(clean.toLowerCase()).not.toContain(secret.toLowerCase())
    expect(clean).toMatch(/^header not found; upstream .*\*\*\*.* refused block 12$/s)
    expect(containsSecret(message, [secret])).toBe(true)
  })

  const shortSecret = 'k7Qz9f2'
  it.each(secretEncodings(shortSecret))('redacts a short secret %s', (_, text) => {
    const clean = redactDeep(`header not found; upstream ${text} refused block 12`, [shortSecret])
    expect(clean).not.toContain(text)
    expect(clean).toMatch(/^header not found; upstream .*\*\*\*.* refused block 12$/s)
  })

  it.each([
    ['ab', 'http://user:ab@10.0.0.1 is about a cab', 'http://user:***@10.0.0.1 is about a cab'],
    ['ab', 'denied: {"key":"ab"}', 'denied: {"key":"***"}'],
    ['user', 'userOp of user-agent: user_id of user', 'userOp of user-agent: user_id of ***'],
    ['limit7x', 'unlimit7x UNLIMIT7X, LIMIT7X', 'unlimit7x UNLIMIT7X, ***'],
    ['limit7x', 'un%6Cimit7x but %6Cimit7x', 'un%6Cimit7x but ***'],
    ['limit7xy', 'unlimit7xys UNLIMIT7XYS', 'un***s ***'],
  ])('redacts a short secret where it is a whole word: %s in %s', (short, text, clean) => {
    expect(redactDeep(text, [short])).toBe(clean)
    expect(containsSecret(text, [short])).toBe(true)
    expect(redactJsonDeep({ [text]: [text] }, [short])).toEqual({ [clean]: [clean] })
  })

  it('does not search a header field that is shorter than any text', () => {
    expect(['12', 'br', 'abc', 'abcd'].map((field) => containsSecret(field, [field]))).toEqual([
      false,
      false,
      false,
      true,
    ])
  })

  it.each([
    'execution reverted: rate limit exceeded',
    'missing trie node 5f3a2b1c9d8e7f605f3a2b1c9d8e7f605f3a2b1c9d8e7f605f3a2b1c9d8e7f60 (path 0a0b)',
    'insufficient funds for gas * price + value: balance 0, tx cost 100 %, overshot 100',
    `0x${'ab'.repeat(5_000)}`,
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0',
  ])('does not change %.40s', (text) => {
    expect(redactDeep(text, [secret, '127.0.0.1', 'localhost'])).toBe(text)
    expect(containsSecret(text, [secret])).toBe(false)
  })

  it('preserves a JSON value without secrets, and redacts keys, items and members', () => {
    const clean = { code: -32000, data: [{ deep: 'x' }] }
    expect(redactJsonDeep(clean, [secret])).toBe(clean)
    expect(redactJsonDeep({ [secret]: [{ deep: `a ${secret}` }] }, [secret])).toEqual({
      '***': [{ deep: 'a ***' }],
    })
  })

  it('does not redact a megabyte of revert data from a contract', () => {
    const data = `0x${'12'.repeat(500_000)}`
    expect(redactJsonDeep({ code: 3, data }, [secret])).toEqual({ code: 3, data })
  })

  it.each(['a b/c ', 'aGVsbG8+', '%61%62', '&#x61;', '\\u0061', `${secret} `])(
    'cuts a long text of %j instead of searching all of it',
    (piece) => {
      const text = piece.repeat(300_000)
      const redacted = redactDeep(text, [secret])
      expect(redacted.length).toBeLessThan(10_000)
      expect(redacted.endsWith('…')).toBe(true)
      expect(redacted).not.toContain(secret)
      expect(containsSecret(text, [secret])).toBe(true)
    },
  )

  it('reveals no part of an encoded secret at the end of a text that is cut', () => {
    const encoded = Buffer.from(secret).toString('hex')
    for (let before = 8_192 - encoded.length; before <= 8_192; before += 2) {
      const redacted = redactDeep(`${'x '.repeat(before / 2)}${encoded} ${'y '.repeat(5_000)}`, [secret])
      expect(redacted).not.toContain(encoded.slice(0, 8))
    }
  })

  it('searches the text around revert data', () => {
    const data = `0x${'12'.repeat(500_000)}`
    const encoded = Buffer.from(secret).toString('base64')
    const redacted = redactDeep(`{"data":"${data}","message":"at ${encoded}"}`, [secret])
    expect(redacted).toContain(data)
    expect(redacted).not.toContain(encoded)
  })
})
