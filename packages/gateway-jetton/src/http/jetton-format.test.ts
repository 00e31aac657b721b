import { expect, it } from 'vitest'
import { readNodeError } from '@fairlead/gateway-core/rest/error-body'
import { jettonFormat } from './jetton-format.ts'

it('writes the HTTP status as the code of an error, not the code of the upstream', () => {
  const error = readNodeError(542, '{"error":"nested too deep","code":7}', 'application/json', [])
  expect(jettonFormat.writeError(error)).toBe('{"ok":false,"error":"nested too deep","code":542}')
})
