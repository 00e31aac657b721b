import { readFileSync } from 'node:fs'
import { beginCell, Cell, Dictionary } from '@ton/core'
import { describe, expect, it } from 'vitest'
import { decodeParameter } from './decode-parameter.ts'
import { boc, bytes, expected, mainnet } from '../testing/oracle.ts'

describe('the configuration of the main network', () => {
  const ids = [...mainnet.keys()]
  // TL-B does not list negative parameters; contracts agree on their format among themselves.
  it.each(ids.filter((id) => id >= 0))('decodes parameter %i as the oracle does', (id) => {
    const cell = mainnet.get(id)
    if (cell === undefined) throw new Error('The configuration changed.')
    const value = decodeParameter(id, boc(cell))
    expect(value).not.toHaveProperty('cell')
    expect(JSON.parse(JSON.stringify(value))).toEqual(expected(id, cell))
  })

  it('has parameters that remain cells', () => {
    const rest = ids.filter((id) => id < 0)
    expect(rest).toEqual([-999, -90, -71])
    for (const id of rest) {
      const text = boc(mainnet.get(id) ?? Cell.EMPTY)
      expect(decodeParameter(id, text)).toEqual({ cell: text })
    }
  })

  it('has only documented fields', () => {
    const page = readFileSync(
      new URL('../../../../docs/reference/ton-get-config-param.md', import.meta.url),
      'utf8',
    )
    const decoded = ids.map((id) => (id < 0 ? {} : decodeParameter(id, boc(mainnet.get(id) ?? Cell.EMPTY))))
    const fields = JSON.stringify(decoded).matchAll(/"([A-Za-z_]+)":/g)
    const missing = [...fields].map(([, name]) => name).filter((name) => !page.includes(`\`${name}\``))
    expect(missing).toEqual([])
  })

  it('returns coins of 2^53 and more as strings, and less as numbers', () => {
    const value = decodeParameter(17, boc(mainnet.get(17) ?? Cell.EMPTY))
    expect(value).toMatchObject({ min_stake: 300_000_000_000_000, max_stake: '10000000000000000' })
  })

  it('returns ids of currencies, parameters and suspended accounts in their usual format', () => {
    const of = (id: number) => decodeParameter(id, boc(mainnet.get(id) ?? Cell.EMPTY))
    expect(of(7)).toEqual({ to_mint: { '239': 666_666_666_666, '-17': 1_000_000_000_000 } })
    expect(of(10)['critical_params']).toContain(-1000)
    expect(of(44)['addresses']).toContainEqual(expect.stringMatching(/^0:[0-9a-f]{64}$/))
  })
})

describe('a cell that does not match TL-B', () => {
  const valid = beginCell().storeInt(-239, 32).endCell()
  it.each([
    ['is too short', 19, beginCell().storeInt(-239, 31).endCell()],
    ['has more bits', 19, beginCell().storeInt(-239, 33).endCell()],
    ['has a reference', 19, beginCell().storeInt(-239, 32).storeRef(valid).endCell()],
    ['has another tag', 20, beginCell().storeUint(0xff, 8).endCell()],
    ['has extra data after a reference', 11, mainnetWithTail()],
    ['has extra data in a leaf', 45, leafWithTail()],
    ['belongs to a number that TL-B does not list', 1000, valid],
  ])('remains a cell when it %s', (_, id, cell) => {
    expect(decodeParameter(id, boc(cell))).toEqual({ cell: boc(cell) })
  })

  it('is rejected when it is not a bag of cells', () => {
    expect(() => decodeParameter(19, 'AAAA')).toThrow()
  })

  function mainnetWithTail(): Cell {
    const setup = mainnet.get(11)?.beginParse() ?? valid.beginParse()
    const [first, second] = [setup.loadRef(), setup.loadRef()]
    const longer = beginCell().storeSlice(first.beginParse()).storeBit(1).endCell()
    return beginCell().storeUint(0x91, 8).storeRef(longer).storeRef(second).endCell()
  }

  function leafWithTail(): Cell {
    const contracts = Dictionary.empty(Dictionary.Keys.Buffer(32), Dictionary.Values.BitString(73))
    contracts.set(bytes('e1'), beginCell().storeUint(0xb0, 8).storeUint(1, 65).endCell().bits)
    return beginCell().storeUint(0xc0, 8).storeDict(contracts).endCell()
  }
})
