import { expect, it, vi } from 'vitest'
import { CredentialHeads } from './credential-heads.ts'

it('applies a high-water mark to its credential only, until the upstreams stay below it for a while', () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(0)
  const heads = new CredentialHeads(50)
  heads.record('one', 'chain', 7)
  expect([heads.highWaterMark('one', 'chain'), heads.highWaterMark('other', 'chain')]).toEqual([7, -1])
  heads.miss('one', 'chain')
  heads.miss('other', 'chain')
  expect(heads.highWaterMark('one', 'chain')).toBe(7)
  heads.record('one', 'chain', 7)
  now.mockReturnValue(80)
  expect(heads.highWaterMark('one', 'chain')).toBe(7)
  heads.miss('one', 'chain')
  heads.miss('one', 'chain')
  now.mockReturnValue(160)
  expect(heads.highWaterMark('one', 'chain')).toBe(-1)
  heads.record('one', 'chain', 5)
  expect(heads.highWaterMark('one', 'chain')).toBe(5)
})

it('does not replace a higher mark with an earlier one', () => {
  const heads = new CredentialHeads()
  heads.record('one', 'chain', 7)
  heads.record('one', 'chain', 6)
  expect(heads.highWaterMark('one', 'chain')).toBe(7)
})

it('does not apply a high-water mark to another chain', () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(0)
  const heads = new CredentialHeads(50)
  heads.record('one', 'chain', 7)
  expect(heads.highWaterMark('one', 'next')).toBe(-1)
  heads.miss('one', 'next')
  now.mockReturnValue(80)
  expect(heads.highWaterMark('one', 'chain')).toBe(7)
  heads.record('one', 'next', 5)
  expect(heads.highWaterMark('one', 'next')).toBe(5)
})
