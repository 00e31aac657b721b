import { expect, it, vi } from 'vitest'
import { CredentialHeads } from './credential-heads.ts'

it('a height counts for its credential alone, and until nodes have gone without it for a while', () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(0)
  const heads = new CredentialHeads(50)
  heads.show('one', 7)
  expect([heads.floor('one'), heads.floor('other')]).toEqual([7, -1])
  heads.miss('one')
  heads.miss('other')
  expect(heads.floor('one')).toBe(7)
  heads.show('one', 7)
  now.mockReturnValue(80)
  expect(heads.floor('one')).toBe(7)
  heads.miss('one')
  heads.miss('one')
  now.mockReturnValue(160)
  expect(heads.floor('one')).toBe(-1)
  heads.show('one', 5)
  expect(heads.floor('one')).toBe(5)
})

it('a height that was read earlier does not replace a higher one', () => {
  const heads = new CredentialHeads()
  heads.show('one', 7)
  heads.show('one', 6)
  expect(heads.floor('one')).toBe(7)
})
