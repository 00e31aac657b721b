import { expect, it } from 'vitest'
import { readNodeError } from '@fairlead/gateway-core/rest/error-body'
import { beaconFormat } from './beacon-format.ts'

it('writes the code of the upstream, otherwise the HTTP status', () => {
  const write = (text: string) => beaconFormat.writeError(readNodeError(500, text, 'application/json', []))
  expect(write('{"code":7,"message":"m","failures":[{"index":1,"message":"bad"}]}')).toBe(
    '{"code":7,"message":"m","failures":[{"index":1,"message":"bad"}]}',
  )
  expect(write('{"error":"no state"}')).toBe('{"code":500,"message":"no state"}')
})
