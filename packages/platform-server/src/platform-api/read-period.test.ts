import { expect, it } from 'vitest'
import { readExpiry } from './read-expiry.ts'
import { readPeriod } from './read-period.ts'

it.each([
  '0000-01-01',
  '0000-12-31T23:59:59Z',
  '0001-01-01T00:00:00+14:00',
  '9999-12-31T23:59:59-14:00',
  '+10000-01-01',
])('rejects %s, which no database can store', (text) => {
  expect(() => readPeriod({ date_from: text })).toThrow(expect.objectContaining({ code: 'invalid' }))
  expect(() => readPeriod({ date_to: text })).toThrow(expect.objectContaining({ code: 'invalid' }))
  expect(() => readExpiry('expires_at', text)).toThrow(expect.objectContaining({ code: 'invalid' }))
})

it('accepts the first and the last day', () => {
  expect(readPeriod({ date_from: '0001-01-01', date_to: '9999-12-31' })).toEqual({
    from: '0001-01-01T00:00:00.000Z',
    to: '9999-12-31T23:59:59.999Z',
  })
})
