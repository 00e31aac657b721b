import { readFileSync } from 'node:fs'
import { v2, v2Rpc, v3 } from '@fairlead/jetton/contract'
import { expect, it } from 'vitest'
import { jettonAdapters } from './adapters.ts'

const names = [...jettonAdapters.keys()]

it('adapters belong to operations of the contract', () => {
  const operations = [v2, v3].flatMap(({ routes }) =>
    Object.values<{ readonly operationId: string }>(routes).map(({ operationId }) => operationId),
  )
  const methods = Object.keys(v2Rpc.methods).map((method) => `jsonRPC:${method}`)
  expect(names.filter((name) => !operations.includes(name) && !methods.includes(name))).toEqual([])
})

it('adapters are listed in the documentation', () => {
  const page = readFileSync(new URL('../../../../docs/reference/adapters.md', import.meta.url), 'utf8')
  const [, section = ''] = page.split('## Jetton chain API')
  expect(names.filter((name) => !section.includes(`\`${name}\``))).toEqual([])
})
