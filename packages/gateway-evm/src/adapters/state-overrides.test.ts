import { describe, expect, it } from 'vitest'
import { foldDiff, foldOverrides } from './state-overrides.ts'

const a = `0x${'a'.repeat(40)}`
const one = `0x${'0'.repeat(63)}1`
const zero = `0x${'0'.repeat(64)}`

describe('foldOverrides', () => {
  it('prefers the later field and retains the others', () => {
    expect(
      foldOverrides({ [a]: { balance: '0x1', nonce: '0x1' } }, { [a]: { balance: '0x2', code: '0x' } }),
    ).toEqual({
      [a]: { balance: '0x2', nonce: '0x1', code: '0x' },
    })
  })

  it('matches an address and a slot case-insensitively', () => {
    const upper = a.toUpperCase().replace('0X', '0x')
    const slot = `0x${'F'.repeat(64)}`
    const folded = foldOverrides(
      { [a]: { stateDiff: { [slot.toLowerCase()]: one } } },
      { [upper]: { stateDiff: { [slot]: zero } } },
    )
    expect(folded).toEqual({ [a]: { stateDiff: { [slot.toLowerCase()]: zero } } })
  })

  it('never has a full storage and a storage diff at the same time', () => {
    const replaced = foldOverrides({ [a]: { stateDiff: { [one]: one } } }, { [a]: { state: {} } })
    expect(replaced).toEqual({ [a]: { state: {} } })
    expect(foldOverrides(replaced, { [a]: { stateDiff: { [one]: zero } } })).toEqual({
      [a]: { state: { [one]: zero } },
    })
  })

  it('does not mutate its input', () => {
    const earlier = Object.freeze({ [a]: Object.freeze({ balance: '0x1' }) })
    foldOverrides(earlier, { [a]: { balance: '0x2' } })
    expect(earlier).toEqual({ [a]: { balance: '0x1' } })
  })
})

describe('foldDiff', () => {
  it('clears deleted slots and empties deleted accounts', () => {
    const pre = {
      [a]: { balance: '0x1', storage: { [one]: one } },
      [`0x${'b'.repeat(40)}`]: { balance: '0x5' },
    }
    const post = { [a]: { nonce: 17 } }
    expect(foldDiff({}, { pre, post })).toEqual({
      [a]: { nonce: '0x11', stateDiff: { [one]: zero } },
      [`0x${'b'.repeat(40)}`]: { balance: '0x0', nonce: '0x0', code: '0x', state: {} },
    })
  })

  it('includes created accounts', () => {
    const post = { [a]: { balance: '0x0', nonce: 1, code: '0x00', storage: { [zero]: one } } }
    expect(foldDiff({}, { pre: {}, post })).toEqual({
      [a]: { balance: '0x0', nonce: '0x1', code: '0x00', stateDiff: { [zero]: one } },
    })
  })
})
