import type { Bump } from '@fairlead/spec-diff'
import { highest } from '@fairlead/spec-diff'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compareSurfaces } from './compare-surfaces.ts'
import { type Surface, surfaceOf } from './surface.ts'

let folder = ''
let count = 0

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairlead-surface-'))
})

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

function surface(files: Readonly<Record<string, string>>): Surface {
  const directory = join(folder, String(++count))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), text)
  }
  return surfaceOf(directory, new Map([['.', './src/index.ts']]))
}

function rated(before: string, after: string): Bump {
  const changes = compareSurfaces(
    surface({ 'src/index.ts': before }),
    surface({ 'src/index.ts': after }),
    true,
  )
  return highest(changes.map(({ bump }) => bump))
}

const take = 'export declare function take(ship: Ship): void\n'
const give = 'export declare function give(): Ship\n'
const ship = (members: string) => `export interface Ship { ${members} }\n`

const cases: readonly (readonly [string, Bump, string, string])[] = [
  ['nothing', 'none', ship('a: string'), `/** A ship. */\n${ship('a:  string')}`],
  ['an export more', 'minor', '', 'export const a: string = ""'],
  ['an export less', 'major', 'export const a: string = ""', ''],
  ['an export renamed', 'major', 'export const a: string = ""', 'export const b: string = ""'],
  ['a body', 'none', 'export function f(): number { return 1 }', 'export function f(): number { return 2 }'],
  ['a value of a constant', 'patch', 'export const limit = 1', 'export const limit = 2'],
  ['another kind of value', 'major', 'export const limit = 1', "export const limit = '1'"],
  [
    'a field of a constant more',
    'minor',
    'export const a = { b: 1 } as const',
    'export const a = { b: 1, c: 2 } as const',
  ],
  ['a field of a constant less', 'major', 'export const a = { b: { c: 1 } }', 'export const a = { b: {} }'],
  [
    'a value in a list less',
    'major',
    "export const a = ['x', 'y'] as const",
    "export const a = ['x'] as const",
  ],
  ['a constant that is worked out differently', 'major', 'export const a = f(1)', 'export const a = f(2)'],
  ['another type of a constant', 'major', 'export const a: string = ""', 'export const a: number = 1'],
  [
    'another return type',
    'major',
    'export declare function f(): string',
    'export declare function f(): number',
  ],
  [
    'a parameter more',
    'major',
    'export declare function f(): void',
    'export declare function f(a: string): void',
  ],
  [
    'an optional parameter more',
    'minor',
    'export declare function f(): void',
    'export declare function f(a?: string): void',
  ],
  [
    'a parameter with a default',
    'minor',
    'export function f(): void {}',
    'export function f(a: string = ""): void {}',
  ],
  [
    'a parameter renamed',
    'none',
    'export declare function f(a: string): void',
    'export declare function f(b: string): void',
  ],
  [
    'a parameter less',
    'major',
    'export declare function f(a: string): void',
    'export declare function f(): void',
  ],
  [
    'an overload more',
    'minor',
    'export declare function f(a: string): void',
    'export declare function f(a: string): void\nexport declare function f(a: number): void',
  ],
  [
    'an arrow function',
    'major',
    'export const f = (a: string): void => {}',
    'export const f = (a: number): void => {}',
  ],
  ['a member less', 'major', ship('a: string; b: string'), ship('a: string')],
  ['a member that may be missing', 'major', ship('a: string'), ship('a?: string')],
  ['an optional option more', 'minor', take + ship('a: string'), take + ship('a: string; b?: string')],
  ['a required option more', 'major', take + ship('a: string'), take + ship('a: string; b: string')],
  ['a member of a result more', 'minor', give + ship('a: string'), give + ship('a: string; b: string')],
  [
    'a required option within an option',
    'major',
    `${take}${ship('mast: Mast')}interface Mast { a: string }`,
    `${take}${ship('mast: Mast')}interface Mast { a: string; b: number }`,
  ],
  [
    'a part that is not exported',
    'major',
    `${give}interface Ship { a: string }`,
    `${give}interface Ship { a: number }`,
  ],
  ['an alternative more', 'minor', "export type A = 'a'|'b'", "export type A = 'a'|'b'|'c'"],
  ['an alternative less', 'major', "export type A = 'a'|'b'|'c'", "export type A = 'a'|'b'"],
  ['alternatives in another order', 'none', "export type A = 'a'|'b'", "export type A = 'b'|'a'"],
  [
    'a private member',
    'none',
    'export class A { #a = 1; b(): void {} }',
    'export class A { #c = "2"; b(): void {} }',
  ],
  [
    'a method less',
    'major',
    'export class A { a(): void {} b(): void {} }',
    'export class A { a(): void {} }',
  ],
  [
    'a type parameter more',
    'major',
    'export interface A { a: string }',
    'export interface A<T> { a: string }',
  ],
  ['a member that can no longer be written', 'major', ship('a: string'), ship('readonly a: string')],
  ['a name of another package more', 'minor', '', "export { unwrap } from '@fairlead/core'"],
  ['a name of another package less', 'major', "export { unwrap } from '@fairlead/core'", ''],
]

describe('a change of the exports of a package', () => {
  it.each(cases)('%s: %s', (_, bump, before, after) => {
    expect(rated(before, after)).toBe(bump)
  })

  it('is the same when a declaration moves to another file', () => {
    const before = surface({
      'src/index.ts': `export { a } from './a.ts'`,
      'src/a.ts': 'export const a: string = ""',
    })
    const after = surface({
      'src/index.ts': `export * from './b.ts'`,
      'src/b.ts': 'export const a: string = ""',
    })
    expect(compareSurfaces(before, after, true)).toEqual([])
  })

  it('ignores generated declarations that the specification covers', () => {
    const of = (text: string) =>
      surface({ 'src/index.ts': `export type * from './generated/types.ts'`, 'src/generated/types.ts': text })
    const [before, after] = [of('export type A = string'), of('export type A = number')]
    expect(compareSurfaces(before, after, false)).toEqual([])
    expect(compareSurfaces(before, after, true)).toEqual([
      { bump: 'major', name: 'A', description: '`A` changed.' },
    ])
  })
})
