import type { ChainFile } from '@fairlead/codegen/src/chains.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Change, highest } from '../change.ts'
import { compareOpenrpc, type OpenrpcVersion } from './compare-openrpc.ts'
import { openrpcCases } from './testing/cases.ts'

const nameOf = (title: string) => `case_${title.replaceAll(' ', '_')}`

function chain(name: string, parts: Partial<ChainFile> = {}): ChainFile {
  return {
    chain: name,
    path: null,
    networks: { main: '0x1' },
    finality: { model: 'instant' },
    methods: { tags: [], add: [nameOf('nothing')] },
    ...parts,
  }
}

function version(side: 'base' | 'head', chains: readonly ChainFile[]): OpenrpcVersion {
  const methods = openrpcCases.flatMap((testCase) => {
    const method = testCase[side]
    return method ? [{ name: nameOf(testCase.title), ...method }] : []
  })
  const info = { title: 'Ships', version: '1.0.0' }
  return { document: { openrpc: '1.3.2', info, methods }, chains }
}

let changes: readonly Change[] = []
const changesAt = (start: string) => changes.filter(({ pointer }) => `${pointer}/`.startsWith(start))

beforeAll(async () => {
  const noMethods = { tags: [], add: [] }
  const base = [
    chain('removed'),
    chain('less'),
    chain('more', { methods: noMethods }),
    chain('moved', { path: 'evm' }),
    chain('renumbered'),
    chain('late'),
    chain('same'),
  ]
  const head = [
    chain('fresh'),
    chain('less', { methods: noMethods }),
    chain('more'),
    chain('moved'),
    chain('renumbered', { networks: { main: '0x2' } }),
    chain('late', { finality: { model: 'checkpoint' } }),
    chain('same'),
  ]
  changes = await compareOpenrpc(version('base', base), version('head', head))
})

describe('a change of an OpenRPC document', () => {
  it.each(openrpcCases)('$title: $bump', ({ title, bump }) => {
    const found = changesAt(`#/methods/${nameOf(title)}/`)
    expect(highest(found.map((change) => change.bump))).toBe(bump)
    for (const { place } of found) expect(place.split(' ')[0]).toBe(nameOf(title))
  })

  it('is described in terms of the document', () => {
    expect(changes).toContainEqual({
      bump: 'major',
      category: 'breaking',
      affected: 'client',
      place: 'case_optional_parameter_removed',
      pointer: '#/methods/case_optional_parameter_removed/params/p1',
      what: 'The parameter `b` was removed.',
    })
    expect(changesAt('#/methods/case_notification_retyped/')).toMatchObject([
      {
        place: 'case_notification_retyped heads',
        pointer: '#/methods/case_notification_retyped/x-subscriptions/heads/result/type',
      },
    ])
    expect(changes.filter(({ pointer }) => pointer.startsWith('#/paths/'))).toEqual([])
  })
})

describe('a change of a chain', () => {
  it.each([
    ['removed', 'major'],
    ['fresh', 'minor'],
    ['less', 'major'],
    ['more', 'minor'],
    ['moved', 'major'],
    ['renumbered', 'major'],
    ['late', 'minor'],
    ['same', 'none'],
  ])('%s: %s', (name, bump) => {
    expect(highest(changesAt(`chains/${name}.yaml#/`).map((change) => change.bump))).toBe(bump)
  })

  it('names the missing method', () => {
    expect(changesAt('chains/less.yaml#/').map(({ what }) => what)).toEqual([
      'Its nodes no longer offer `case_nothing`.',
    ])
  })
})
