import { expect, it } from 'vitest'
import { memory } from '@fairlead/gateway-core/testing/memory'
import { createLog } from './log.ts'

it('the log has one JSON object per line and redacts headers', () => {
  const lines = memory()
  const log = createLog('info', lines.stream)
  log.debug('not this')
  log.info({ request: { url: '/t0k3n', headers: { authorization: 'Basic x', 'x-token': 'y' } } }, 'this')
  expect(JSON.parse(lines.text())).toMatchObject({
    msg: 'this',
    request: { url: '[Redacted]', headers: { authorization: '[Redacted]', 'x-token': '[Redacted]' } },
  })
})
