import { describe, expect, it } from 'vitest'
import { fieldsOf, table } from './jetton-v2-table.ts'
import { componentSchemas, type Json, specification, validatorsOf } from './specifications.ts'

const document = specification('jetton-v2')
const components = componentSchemas(document)
const compile = validatorsOf(document)

// Parts of the schemas above, and types that only this interface has.
const additionalTypes = [
  'Address',
  'Bytes',
  'ConfigId',
  'ConfigParam',
  'ConfigParamValue',
  'Hash',
  'HexHash',
  'HttpServerError',
  'Int256',
  'Int32OrString',
  'Int64',
  'Int64OrString',
  'JettonError',
  'JsonRpcId',
  'JsonRpcRequest',
  'JsonRpcResponse',
  'LegacyStackEntry',
  'OptionalAddress',
  'OptionalHash',
  'Seqno',
  'TokenContentDict',
]

describe('the types of TON, family v2', () => {
  it('are those of the table', () => {
    const { requests, types, unions, enums } = table
    const named = [requests, types, unions, enums].flatMap(Object.keys)
    expect(Object.keys(components).toSorted()).toEqual([...named, ...additionalTypes].toSorted())
  })

  it.each(Object.entries(table.types))(
    '%s has the fields of the table',
    (name, { '@type': type, fields }) => {
      const { '@type': actualType, ...actual } = fieldsOf(components[name] ?? {})
      expect(actual).toEqual(fields)
      expect(actualType).toEqual(type === undefined ? undefined : { type: 'string', const: type })
    },
  )

  it.each(Object.entries(table.requests))('%s has the fields of the table', (name, fields) => {
    expect(fieldsOf(components[name] ?? {})).toEqual(fields)
  })

  it.each(Object.entries(table.unions))('%s is one of the types of the table', (name, types) => {
    const forms = components[name]?.['oneOf'] as Json[]
    expect(forms).toEqual(types.map((type) => ({ $ref: `#/components/schemas/${type}` })))
    const constants = types.map((type) => table.types[type]?.['@type'])
    expect(new Set(constants).size, 'distinguished by @type').toBe(types.length)
  })

  it.each(Object.entries(table.enums))('%s has the values of the table', (name, values) => {
    expect(components[name]).toMatchObject({ type: 'string', enum: values })
  })

  it('may have additional fields', () => {
    for (const [name, schema] of Object.entries(components))
      expect(JSON.stringify(schema), name).not.toContain('"additionalProperties":false')
  })
})

const cell = 'te6cckEBAQEAAgAAAEysuc0='
const tuple = { '@type': 'tvm.tuple', elements: [] }
const list = { '@type': 'tvm.list', elements: [] }
const hex = 'ab'.repeat(32)
const friendly = `EQ${'A'.repeat(46)}`

describe('the values of TON, family v2', () => {
  it.each<[string, readonly unknown[], readonly unknown[]]>([
    [
      'LegacyStackEntry',
      [
        ['num', 1],
        ['int', '-12'],
        ['number', '0x1f'],
        ['integer', '-0x1F'],
        ['tvm.Cell', cell],
        ['tvm.Slice', cell],
        ['cell', { bytes: cell }],
        ['slice', { bytes: cell, object: { data: { b64: '', len: 0 }, refs: [], special: false } }],
        ['tuple', tuple],
        ['tvm.Tuple', tuple],
        ['list', list],
        ['tvm.List', list],
        ['unsupported', ''],
      ],
      [
        ['num'],
        ['num', 1, 2],
        ['num', '1f'],
        ['num', 1.5],
        ['cell', cell],
        ['tvm.Cell', { bytes: cell }],
        ['tuple', list],
        ['null', null],
        ['tvm.Builder', cell],
        [],
        'num',
      ],
    ],
    [
      'Address',
      [
        `0:${hex}`,
        `-1:${hex.toUpperCase()}`,
        friendly,
        friendly.replace('AA', '-_'),
        friendly.replace('AA', '+/'),
      ],
      ['', hex, `0:${hex}0`, `${friendly}A`, friendly.slice(1), 7],
    ],
    ['OptionalAddress', ['', friendly, `0:${hex}`], [' ', 'none', null]],
    ['Hash', [hex, `${'A'.repeat(43)}=`, 'A'.repeat(43)], ['', `0x${hex}`, hex.slice(1), 'A'.repeat(44)]],
    ['OptionalHash', ['', `${'A'.repeat(43)}=`], [hex.slice(1), ' ']],
    ['HexHash', [hex], ['', `0x${hex}`, `${'A'.repeat(43)}=`]],
    ['Bytes', ['', 'AA==', 'AAA=', cell], ['A', 'AA', 'AAA', 'A===', 'AA-_', null]],
    ['Int64', ['0', '-9223372036854775808', '58214400000003'], ['', '-0', '007', '1.5', '0x1', 1]],
    ['Int256', ['0', `-${'1'.repeat(78)}`], ['', '1'.repeat(79), 1]],
    ['Seqno', [1, '1', 2147483647], [0, '0', -1, '-1', 1.5, 2147483648, '']],
    ['Int32OrString', [-1, '-1', 0, '0'], ['', '+1', 2147483648, 0.5, true]],
    ['Int64OrString', [0, '-9223372036854775808'], ['', '0x1', 0.5, null]],
  ])('%s accepts valid values only', (name, valid, invalid) => {
    const validate = compile({ $ref: `#/components/schemas/${name}` })
    for (const value of valid) expect(validate(value), JSON.stringify(value)).toBe(true)
    for (const value of invalid) expect(validate(value), JSON.stringify(value)).toBe(false)
  })
})
