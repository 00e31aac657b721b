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

  it.each(['engine', 'gateway'] as const)('of the %s is the one that is kept', (name) => {
    expect(found[name]).toEqual(readTables()[name])
  })

  it('holds every method of the contract over each of its transports', () => {
    const expected = all.map(
      ({ name, transports = ['http', 'websocket'] }) => `${name} ${transports.join(' ')}`,
    )
    const { engine, gateway } = readTables()
    for (const { methods: table } of [engine, gateway]) {
      const kept = Object.entries(table).map(([name, answers]) => `${name} ${Object.keys(answers).join(' ')}`)
      expect(kept).toEqual(expected.toSorted())
    }
  })

  it('agrees with what the specification says about the engine', () => {
    const { engine } = readTables()
    const offered = all.filter(({ name }) =>
      Object.values(engine.methods[name] ?? {}).some((words) => words.startsWith('available')),
    )
    const said = all.filter(({ availability }) => availability?.includes('anvil'))
    expect(offered.map(({ name }) => name)).toEqual(said.map(({ name }) => name))
  })

  it('never lacks in the service what the engine has, unless the chain is not to offer it', () => {
    const { engine, gateway } = readTables()
    const lost = Object.keys(engine.methods).filter(
      (name) =>
        engine.methods[name]?.['http']?.startsWith('available') === true &&
        gateway.methods[name]?.['http']?.startsWith('available') !== true,
    )
    // A shared node does not sign.
    for (const name of lost) expect(name).toMatch(/^(eth_sign|eth_sendTransaction|personal_|eth_hashrate)/)
  })

  it('is what the reference page shows', () => {
    const plain = (text: string) => text.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---')
    expect(plain(readFileSync(pageFile, 'utf8'))).toBe(plain(pageText(readTables())))
  })
})
