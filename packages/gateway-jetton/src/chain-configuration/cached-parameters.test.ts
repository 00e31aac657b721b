import { beginCell } from '@ton/core'
import { expect, it } from 'vitest'
import { knownParameter } from './cached-parameters.ts'

const globalId = (id: number) => beginCell().storeInt(id, 32).endCell().toBoc().toString('base64')

it('decodes a cell once, and tells it from others of the same number and from itself under another number', () => {
  const first = knownParameter(19, globalId(-239))
  expect(first).toEqual({ global_id: -239 })
  expect(knownParameter(19, globalId(-239))).toBe(first)
  expect(knownParameter(19, globalId(-3))).toEqual({ global_id: -3 })
  expect(knownParameter(-19, globalId(-239))).toEqual({ cell: globalId(-239) })
})

it('forgets the cells that were asked for longest ago', () => {
  const [often, seldom] = [knownParameter(19, globalId(1)), knownParameter(19, globalId(2))]
  for (let id = 1_000; id < 1_127; id++) {
    knownParameter(19, globalId(id))
    expect(knownParameter(19, globalId(1))).toBe(often)
  }
  expect(knownParameter(19, globalId(2))).not.toBe(seldom)
})
