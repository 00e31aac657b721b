import * as evm from '@fairlead/evm-rpc/contract'
import { describe, expect, it } from 'vitest'
import { encode } from './encode.ts'
import { type Field, fieldOf } from './field-model.ts'

const schemas = {
  Hash: { type: 'string', pattern: '^0x' },
  Tag: { type: 'string', enum: ['latest', 'earliest'] },
  Block: { anyOf: [{ $ref: 'x#/components/schemas/Hash' }, { $ref: 'x#/components/schemas/Tag' }] },
}

function field(schema: Record<string, unknown>, isRequired = false): Field {
  return fieldOf('value', isRequired, schema, schemas)
}

describe('a field of a schema', () => {
  it.each<[string, Record<string, unknown>, Field['model']]>([
    ['a text', { type: 'string' }, { kind: 'text', suggestions: [] }],
    ['a choice', { $ref: 'x#/components/schemas/Tag' }, { kind: 'choice', values: ['latest', 'earliest'] }],
    [
      'a text with suggestions where a word would do as well',
      { $ref: 'x#/components/schemas/Block' },
      { kind: 'text', suggestions: ['latest', 'earliest'] },
    ],
    ['a number', { type: ['integer', 'null'] }, { kind: 'number' }],
    [
      'what is left of a choice with null',
      { oneOf: [{ type: 'boolean' }, { type: 'null' }] },
      { kind: 'boolean' },
    ],
    ['a list', { type: 'array', items: { type: 'integer' } }, { kind: 'list', item: 'number' }],
    ['JSON where there is no other form', { type: 'array', items: { type: 'object' } }, { kind: 'json' }],
    ['JSON for a name that is not known', { $ref: 'x#/components/schemas/Other' }, { kind: 'json' }],
  ])('is %s', (_, schema, model) => {
    expect(field(schema).model).toEqual(model)
  })

  it('takes what any of several objects takes, and needs what all of them need', () => {
    const range = {
      properties: { from: { type: 'string' }, address: { type: 'string' } },
      required: ['address'],
    }
    const single = {
      properties: { hash: { type: 'string' }, address: { type: 'string' } },
      required: ['address', 'hash'],
    }
    const { model } = field({ oneOf: [range, single] })
    const fields =
      model.kind === 'group' ? model.fields.map(({ name, isRequired }) => [name, isRequired]) : []
    expect(fields).toEqual([
      ['from', false],
      ['address', true],
      ['hash', false],
    ])
  })

  it('is filled in with its default', () => {
    expect(field({ allOf: [{ $ref: 'x#/components/schemas/Block' }], default: 'latest' })).toMatchObject({
      fallback: 'latest',
      model: { kind: 'text' },
    })
  })

  it('is there for every parameter of every EVM method', () => {
    const kinds = Object.values(evm.methods).flatMap(({ params }) =>
      params.map(({ name, required, schema }) => fieldOf(name, required, schema, evm.schemas).model.kind),
    )
    expect(new Set(kinds)).toEqual(new Set(['text', 'number', 'boolean', 'choice', 'list', 'group', 'json']))
  })
})

describe('what was typed', () => {
  it.each<[string, Record<string, unknown>, string, string | undefined]>([
    ['a text', { type: 'string' }, ' 0x"1" ', '"0x\\"1\\""'],
    [
      'an integer with all of its digits',
      { type: 'integer' },
      '123456789012345678901',
      '123456789012345678901',
    ],
    ['a boolean', { type: 'boolean' }, 'false', 'false'],
    ['a list of texts', { type: 'array', items: { type: 'string' } }, 'a\n\n b', '["a","b"]'],
    ['a list of numbers', { type: 'array', items: { type: 'number' } }, '1\n2.5', '[1,2.5]'],
    ['an object where a text would do', { $ref: 'x#/components/schemas/Block' }, '{"a":1}', '{"a":1}'],
    ['nothing', { type: 'string' }, '', undefined],
  ])('becomes %s', (_, schema, typed, text) => {
    expect(encode(field(schema), 'p', { p: typed })).toEqual({ text })
  })

  it('becomes an object without what was left out', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'integer' } } }
    expect(encode(field(schema), 'p', { 'p.b': '7' })).toEqual({ text: '{"b":7}' })
    expect(encode(field(schema), 'p', {})).toEqual({ text: undefined })
    expect(encode(field(schema, true), 'p', {})).toEqual({ text: '{}' })
  })

  it.each<[string, Record<string, unknown>, string, string]>([
    ['a value that is needed', { type: 'string' }, '', 'This field is required.'],
    ['a number that is none', { type: 'integer' }, '0x10', 'Must be a number.'],
    ['JSON that is none', { type: 'array', items: {} }, '[1', 'Must be valid JSON.'],
  ])('is refused for %s', (_, schema, typed, error) => {
    expect(encode(field(schema, true), 'p', { p: typed })).toEqual({ errors: { p: error } })
  })

  it('is refused at the field below', () => {
    const schema = {
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'string' }, b: { type: 'string' } },
    }
    expect(encode(field(schema), 'p', { 'p.b': 'x' })).toEqual({
      errors: { 'p.a': 'This field is required.' },
    })
    expect(encode(field(schema), 'p', {})).toEqual({ text: undefined })
  })
})
