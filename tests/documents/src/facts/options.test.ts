import { options } from '@fairlead/gateway'
import { lexer, type Tokens, walkTokens } from 'marked'
import { expect, it } from 'vitest'
import { readPages } from '../pages/page.ts'
import { facts } from './facts.ts'
import { type Quantity, quantitiesIn, quantityAtEnd } from './quantity.ts'
import { constantOf, defaultsOf } from './source-constant.ts'
import { sourcesBelow } from './sources.ts'

const pages = readPages()

// A buffer of this capacity.
const properties: Readonly<Record<string, string>> = { buffer: 'capacity' }

interface Stated {
  readonly name: string
  readonly text: string
}

/** The options of a README with a number as default: rows of its tables, and `name` (1) within cells. */
function defaultsIn(readme: string): readonly Stated[] {
  const found: Stated[] = []
  void walkTokens(lexer(readme), (token) => {
    if (token.type !== 'table') return
    const { header, rows } = token as Tokens.Table
    const column = header.findIndex(({ text }) => text === 'Default')
    for (const cells of rows) {
      const [, name] = /^`(\w+)`/.exec(cells[0]?.text ?? '') ?? []
      const text = cells[column]?.text.replace(/,.*/, '') ?? ''
      if (name !== undefined && /^\d[\d ]*(?:[KM]iB)?$/.test(text)) found.push({ name, text })
      for (const cell of cells) {
        for (const [, inner = '', value = ''] of cell.text.matchAll(/`(\w+)` \((\d+(?: [KM]iB)?)\)/g))
          found.push({ name: inner, text: value })
      }
    }
  })
  return found
}

it.each(['core', 'platform-client', 'evm-rpc', 'beacon', 'jetton', 'grpc-transport', 'grpc', 'sdk'])(
  'the README of %s has the defaults of the code',
  (folder) => {
    const readme = pages.find(({ path }) => path === `packages/${folder}/README.md`)?.text ?? ''
    const packages = [folder, ...(folder === 'sdk' || folder === 'grpc' ? ['grpc-transport'] : []), 'core']
    const sources = sourcesBelow(...packages.map((name) => `packages/${name}/src/**/*.ts`))
    const stated = defaultsIn(readme)
    const wrong = stated.filter(({ name, text }) => {
      const value = quantityAtEnd(text)?.value ?? Number.NaN
      return !sources.some((path) => defaultsOf(path, properties[name] ?? name).has(value))
    })
    expect(wrong).toEqual([])
    expect(stated.length).toBeGreaterThan(0)
  },
)

/** Numbers in the code behind the times and sizes in descriptions of options, which the page of the options repeats. */
const described: Readonly<Record<string, Quantity | undefined>> = {
  maxTotalConcurrentCalls: {
    value: constantOf('packages/gateway/src/compose/dependencies.ts', 'memoryOfCall'),
    measure: 'bytes',
  },
  maxStalledGrpcCalls: facts['gRPC response buffer'],
  secretKey: {
    value: constantOf('packages/gateway-core/src/credentials/encryption.ts', 'keyBytes'),
    measure: 'bytes',
  },
  probeNodes: { value: constantOf('packages/gateway/src/probe/probe-nodes.ts', 'minuteMs'), measure: 'ms' },
}

it('descriptions of options state the numbers of the code', () => {
  const stated = Object.entries(options).flatMap(([name, { description }]) =>
    quantitiesIn(description).map(({ text }) => ({ name, quantity: quantityAtEnd(text) })),
  )
  expect(stated).toEqual(stated.map(({ name }) => ({ name, quantity: described[name] })))
})
