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

describe('fieldOf', () => {
  it.each<[string, Record<string, unknown>, Field['model']]>([
    ['a string', { type: 'string' }, { kind: 'text', suggestions: [] }],
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
  ])('maps to %s', (_, schema, model) => {
    expect(field(schema).model).toEqual(model)
  })

  it('merges the properties of several objects; only common required properties stay required', () => {
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

  it('uses the default as its fallback', () => {
    expect(field({ allOf: [{ $ref: 'x#/components/schemas/Block' }], default: 'latest' })).toMatchObject({
      fallback: 'latest',
      model: { kind: 'text' },
    })
  })

  it('supports every parameter of every EVM method', () => {
    const kinds = Object.values(evm.methods).flatMap(({ params }) =>
      params.map(({ name, required, schema }) => fieldOf(name, required, schema, evm.schemas).model.kind),
    )
    expect(new Set(kinds)).toEqual(new Set(['text', 'number', 'boolean', 'choice', 'list', 'group', 'json']))
  })
})

describe('encode', () => {
  it.each<[string, Record<string, unknown>, string, string | undefined]>([
    ['a string', { type: 'string' }, ' 0x"1" ', '"0x\\"1\\""'],
    [
      'an integer with all of its digits',
      { type: 'integer' },
      '123456789012345678901',
      '123456789012345678901',
    ],
    ['a boolean', { type: 'boolean' }, 'false', 'false'],
    ['a list of strings', { type: 'array', items: { type: 'string' } }, 'a\n\n b', '["a","b"]'],
    ['a list of numbers', { type: 'array', items: { type: 'number' } }, '1\n2.5', '[1,2.5]'],
    ['an object where a string is accepted', { $ref: 'x#/components/schemas/Block' }, '{"a":1}', '{"a":1}'],
    ['an empty value', { type: 'string' }, '', undefined],
  ])('returns %s', (_, schema, typed, text) => {
    expect(encode(field(schema), 'p', { p: typed })).toEqual({ text })
  })

  it('omits empty properties of an object', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'integer' } } }
    expect(encode(field(schema), 'p', { 'p.b': '7' })).toEqual({ text: '{"b":7}' })
    expect(encode(field(schema), 'p', {})).toEqual({ text: undefined })
    expect(encode(field(schema, true), 'p', {})).toEqual({ text: '{}' })
  })

  it.each<[string, Record<string, unknown>, string, string]>([
    ['a missing required value', { type: 'string' }, '', 'This field is required.'],
    ['an invalid number', { type: 'integer' }, '0x10', 'Must be a number.'],
    ['JSON that is none', { type: 'array', items: {} }, '[1', 'Must be valid JSON.'],
  ])('rejects %s', (_, schema, typed, error) => {
    expect(encode(field(schema, true), 'p', { p: typed })).toEqual({ errors: { p: error } })
  })

  it('reports an error at the path of the field', () => {
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
