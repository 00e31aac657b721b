import { describe, expect, it } from 'vitest'
import {
  apiKeyPrefix,
  equalInConstantTime,
  generateApiKey,
  generateBasicCredential,
  generateNodeToken,
  generateXToken,
  sha256Hex,
} from './secret.ts'

describe('generated secrets', () => {
  it('have the documented forms', () => {
    const { key, prefix } = generateApiKey()
    expect(key).toMatch(/^[A-Za-z0-9]{8}\.[A-Za-z0-9]{32}$/)
    expect(key.startsWith(`${prefix}.`)).toBe(true)
    expect(generateNodeToken()).toMatch(/^[0-9a-f]{32}$/)
    expect(generateXToken()).toMatch(/^[0-9a-f]{32}$/)
    const { username, password } = generateBasicCredential()
    expect(username).toMatch(/^user-[a-z2-9]{6}$/)
    expect(password).toMatch(/^[a-z2-9]{5}(-[a-z2-9]{5}){3}$/)
  })

  it('do not repeat', () => {
    const keys = new Set(Array.from({ length: 2000 }, () => generateApiKey().key))
    expect(keys.size).toBe(2000)
  })

  it('use every character equally often', () => {
    const counts = new Map<string, number>()
    const rounds = 2000
    for (let round = 0; round < rounds; round++) {
      for (const character of generateApiKey().key.slice(9)) {
        counts.set(character, (counts.get(character) ?? 0) + 1)
      }
    }
    expect(counts.size).toBe(62)
    // A byte modulo 62 would favour eight characters by a quarter; random variation stays within a fifth.
    const expected = (rounds * 32) / 62
    for (const count of counts.values()) expect(Math.abs(count - expected) / expected).toBeLessThan(0.2)
  })
})

describe('apiKeyPrefix', () => {
  it('reads the prefix of a well-formed key and nothing else', () => {
    expect(apiKeyPrefix(`abcDEF12.${'a'.repeat(32)}`)).toBe('abcDEF12')
    for (const text of ['', 'abc', `abcDEF12.${'a'.repeat(31)}`, `abcDEF12.${'a'.repeat(32)}\n`, 'a.b']) {
      expect(apiKeyPrefix(text)).toBeUndefined()
    }
  })
})

describe('sha256Hex', () => {
  it('matches a published vector', () => {
    expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })
})

describe('equalInConstantTime', () => {
  it('distinguishes equal from different texts of any length', () => {
    expect(equalInConstantTime('abc', 'abc')).toBe(true)
    expect(equalInConstantTime('abc', 'abd')).toBe(false)
    expect(equalInConstantTime('abc', 'abcd')).toBe(false)
  })
})
