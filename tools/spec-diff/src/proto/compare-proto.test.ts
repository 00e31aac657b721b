import { protobufDescriptors } from '@fairlead/codegen/src/protobuf.ts'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Bump, type Change, highest } from '../change.ts'
import { compareProto } from './compare-proto.ts'

interface ProtoCase {
  readonly title: string
  readonly bump: Bump
  /** Definition of the element named `Name`. Empty if it does not exist. */
  readonly base: string
  readonly head: string
}

const message = (fields: string) => `message Name { ${fields} }`
const service = (methods: string) => `service Name { ${methods} }`
const call = 'rpc Call(Empty) returns (Empty);'

const cases: readonly ProtoCase[] = [
  { title: 'Same', bump: 'none', base: message('string a = 1;'), head: message('string a = 1;') },
  {
    title: 'FieldAdded',
    bump: 'minor',
    base: message('string a = 1;'),
    head: message('string a = 1; string b = 2;'),
  },
  {
    title: 'FieldRemoved',
    bump: 'major',
    base: message('string a = 1; string b = 2;'),
    head: message('string a = 1;'),
  },
  { title: 'FieldRenumbered', bump: 'major', base: message('string a = 1;'), head: message('string a = 2;') },
  { title: 'FieldRenamed', bump: 'major', base: message('string a = 1;'), head: message('string b = 1;') },
  { title: 'FieldRetyped', bump: 'major', base: message('string a = 1;'), head: message('uint64 a = 1;') },
  {
    title: 'FieldDeprecated',
    bump: 'minor',
    base: message('string a = 1;'),
    head: message('string a = 1 [deprecated = true];'),
  },
  {
    title: 'FieldKept',
    bump: 'patch',
    base: message('string a = 1 [deprecated = true];'),
    head: message('string a = 1;'),
  },
  { title: 'MessageAdded', bump: 'minor', base: '', head: message('string a = 1;') },
  { title: 'MessageRemoved', bump: 'major', base: message('string a = 1;'), head: '' },
  {
    title: 'ValueAdded',
    bump: 'minor',
    base: 'enum Name { NONE_1 = 0; }',
    head: 'enum Name { NONE_1 = 0; ONE = 1; }',
  },
  {
    title: 'ValueRemoved',
    bump: 'major',
    base: 'enum Name { NONE_2 = 0; TWO = 2; }',
    head: 'enum Name { NONE_2 = 0; }',
  },
  { title: 'MethodAdded', bump: 'minor', base: service(''), head: service(call) },
  { title: 'MethodRemoved', bump: 'major', base: service(call), head: service('') },
  {
    title: 'MethodStreams',
    bump: 'major',
    base: service(call),
    head: service('rpc Call(stream Empty) returns (Empty);'),
  },
  {
    title: 'ServiceDeprecated',
    bump: 'minor',
    base: service(call),
    head: service(`option deprecated = true; ${call}`),
  },
]

let folder = ''
let changes: readonly Change[] = []

async function descriptors(side: 'base' | 'head') {
  const elements = cases.map((testCase) => testCase[side].replace('Name', testCase.title))
  const text = ['syntax = "proto3";', 'package ships.v1;', 'message Empty {}', ...elements].join('\n')
  const root = join(folder, side)
  await mkdir(join(root, 'proto'), { recursive: true })
  await writeFile(join(root, 'buf.yaml'), 'version: v2\nmodules:\n  - path: proto\n')
  await writeFile(join(root, 'proto/ships.proto'), text)
  return protobufDescriptors(root)
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-proto-cases-'))
  changes = await compareProto(await descriptors('base'), await descriptors('head'))
})

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

describe('a change of a proto file', () => {
  it.each(cases)('$title: $bump', ({ title, bump }) => {
    const ofCase = changes.filter(({ place, what }) => new RegExp(`\\b${title}\\b`).test(`${place} ${what}`))
    expect(highest(ofCase.map((change) => change.bump))).toBe(bump)
  })
})
