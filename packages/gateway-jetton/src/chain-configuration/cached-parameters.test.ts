import { beginCell } from '@ton/core'
import { expect, it } from 'vitest'
import { cachedParameter } from './cached-parameters.ts'

const globalId = (id: number) => beginCell().storeInt(id, 32).endCell().toBoc().toString('base64')

it('caches decoded cells by number and content', () => {
  const first = cachedParameter(19, globalId(-239))
  expect(first).toEqual({ global_id: -239 })
  expect(cachedParameter(19, globalId(-239))).toBe(first)
  expect(cachedParameter(19, globalId(-3))).toEqual({ global_id: -3 })
  expect(cachedParameter(-19, globalId(-239))).toEqual({ cell: globalId(-239) })
})

it('evicts the least recently used cells', () => {
  const [used, unused] = [cachedParameter(19, globalId(1)), cachedParameter(19, globalId(2))]
  for (let id = 1_000; id < 1_127; id++) {
    cachedParameter(19, globalId(id))
    expect(cachedParameter(19, globalId(1))).toBe(used)
  }
  expect(cachedParameter(19, globalId(2))).not.toBe(unused)
})
