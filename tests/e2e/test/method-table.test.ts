import { readFileSync } from 'node:fs'
import type { Method } from '@fairlead/core'
import { methods } from '@fairlead/evm-rpc/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { type MethodTables, pageFile, pageText, probeBoth, readTables } from './method-table.ts'

const all: readonly Method[] = Object.values(methods)

// After an intended change, run: pnpm --filter @fairlead/e2e-tests write:methods
describe('the table of methods', () => {
  let found: MethodTables
  beforeAll(async () => {
    found = await probeBoth()
  }, 240_000)

  it.each(['engine', 'gateway'] as const)('of the %s matches the committed one', (name) => {
    expect(found[name]).toEqual(readTables()[name])
  })

  it('contains every method of the contract over each of its transports', () => {
    const expected = all.map(
      ({ name, transports = ['http', 'websocket'] }) => `${name} ${transports.join(' ')}`,
    )
    const { engine, gateway } = readTables()
    for (const { methods: table } of [engine, gateway]) {
      const committed = Object.entries(table).map(
        ([name, outcomes]) => `${name} ${Object.keys(outcomes).join(' ')}`,
      )
      expect(committed).toEqual(expected.toSorted())
    }
  })

  it('matches the availability of the specification for the engine', () => {
    const { engine } = readTables()
    const offered = all.filter(({ name }) =>
      Object.values(engine.methods[name] ?? {}).some((texts) => texts.startsWith('available')),
    )
    const documented = all.filter(({ availability }) => availability?.includes('anvil'))
    expect(offered.map(({ name }) => name)).toEqual(documented.map(({ name }) => name))
  })

  it('has every method of the engine in the gateway too, except those that the chain does not offer', () => {
    const { engine, gateway } = readTables()
    const missing = Object.keys(engine.methods).filter(
      (name) =>
        engine.methods[name]?.['http']?.startsWith('available') === true &&
        gateway.methods[name]?.['http']?.startsWith('available') !== true,
    )
    // A shared node does not sign.
    for (const name of missing) expect(name).toMatch(/^(eth_sign|eth_sendTransaction|personal_|eth_hashrate)/)
  })

  it('matches the reference page', () => {
    const plain = (text: string) => text.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---')
    expect(plain(readFileSync(pageFile, 'utf8'))).toBe(plain(pageText(readTables())))
  })
})
