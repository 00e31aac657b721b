import { expect, it, vi } from 'vitest'
import { CredentialHeads } from './credential-heads.ts'

it('applies a high-water mark to its credential only, until the upstreams stay below it for a while', () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(0)
  const heads = new CredentialHeads(50)
  heads.record('one', 7)
  expect([heads.highWaterMark('one'), heads.highWaterMark('other')]).toEqual([7, -1])
  heads.miss('one')
  heads.miss('other')
  expect(heads.highWaterMark('one')).toBe(7)
  heads.record('one', 7)
  now.mockReturnValue(80)
  expect(heads.highWaterMark('one')).toBe(7)
  heads.miss('one')
  heads.miss('one')
  now.mockReturnValue(160)
  expect(heads.highWaterMark('one')).toBe(-1)
  heads.record('one', 5)
  expect(heads.highWaterMark('one')).toBe(5)
})

it('does not replace a higher mark with an earlier one', () => {
  const heads = new CredentialHeads()
  heads.record('one', 7)
  heads.record('one', 6)
  expect(heads.highWaterMark('one')).toBe(7)
})
