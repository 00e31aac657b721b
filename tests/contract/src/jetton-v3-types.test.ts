import { describe, expect, it } from 'vitest'
import {
  components,
  document,
  expectedFields,
  type Fields,
  fieldsOf,
  fieldsIn,
  nameOf,
  notation,
  table,
  types,
  without,
} from './jetton-v3-table.ts'
import { type Json, resolved, validatorsOf } from './specifications.ts'

const compile = validatorsOf(document)

const schemaOf = (name: string): Json => components[name] ?? {}

function expectFields(schema: Json, fields: Fields): void {
  expect(fieldsIn(schema, fields)).toEqual(expectedFields(fields))
}

/** The schema of `value`, by the constants that the sibling `key` may have. */
function formsOf(schema: unknown, key: string, value: string): ReadonlyMap<string, Json> {
  const forms = schema as readonly { required: string[]; properties: Record<string, Json> }[]
  return new Map(
    forms.flatMap(({ required, properties }) => {
      expect(required.toSorted()).toEqual([key, value].toSorted())
      expect(Object.keys(properties).toSorted()).toEqual([key, value].toSorted())
      const names = (properties[key]?.['enum'] ?? [properties[key]?.['const']]) as readonly string[]
      return names.map((name) => [name, properties[value] ?? {}] as const)
    }),
  )
}

const sales = formsOf(schemaOf('NFTSale')['oneOf'], 'type', 'details')
const actions = formsOf(schemaOf('KnownAction')['oneOf'], 'type', 'details')
const orderBodies = formsOf(schemaOf('OrderAction')['oneOf'], 'parsed_body_type', 'parsed_body')

/** The schemas that a union references. */
const referred = (schema: Json | undefined): readonly string[] =>
  ((schema?.['oneOf'] ?? [schema]) as readonly Json[]).flatMap(({ $ref }) => ($ref ? [nameOf($ref)] : []))

const unions = ['NFTSale', 'Action', 'OrderAction', 'V2StackEntity']

/** Parts for which the table has no name. */
const parts = [
  ...`ActionEnvelope KnownAction UnknownAction V2StackArgument DecodedBody AccountStatus
  AccountStatusChange Finality Direction SortOrder ActionType ActionTypeSet Address RawAddress
  Hash AnyHash Shard AnyShard Opcode AnyOpcode Bytes Int64 Uint64 Uint32 Int256 JettonError HttpServerError
  JettonBurnList JettonBurn BurnedJetton JettonBurner JettonBurnTransaction`.split(/\s+/),
  ...[...actions.values(), ...orderBodies.values()].flatMap(referred),
]

describe('the types of family v3', () => {
  it('are those of the table', () => {
    expect(Object.keys(components).toSorted()).toEqual([...new Set([...types, ...parts])].toSorted())
  })

  it.each(types.filter((name) => !unions.includes(name)))('%s has the fields of the table', (name) => {
    const type = table.types[name]
    if (typeof type === 'string') expect(notation(schemaOf(name))).toBe(type)
    else expectFields(schemaOf(name), fieldsOf(name))
  })

  it.each(Object.entries(table.enumerations))('%s has the values of the table', (path, values) => {
    const [type = '', field = ''] = path.split('.')
    const property = (schemaOf(type)['properties'] as Record<string, Json>)[field] ?? {}
    const [schema = property] = (property['oneOf'] ?? []) as readonly Json[]
    expect(resolved(document, schema)).toMatchObject({ type: 'string', enum: values })
  })

  it('distinguish sales by their type', () => {
    expectFields(schemaOf('NFTSale'), without(fieldsOf('NFTSale'), 'type', 'details'))
    const details = [...sales].map(([type, schema]) => [type, ...referred(schema)])
    expect(Object.fromEntries(details)).toEqual(table.sales)
  })

  it('allow nested stack values, but not nested arguments', () => {
    const validate = compile(schemaOf('V2StackEntity'))
    const num = { type: 'num', value: '0x1' }
    const list = { type: 'list', value: [{ type: 'tuple', value: [num] }] }
    for (const type of ['num', 'cell', 'slice']) expect(validate({ ...num, type }), type).toBe(true)
    expect(validate(list)).toBe(true)
    for (const invalid of [
      { ...num, value: [num] },
      { ...list, value: '0x1' },
      { ...num, type: 'builder' },
    ])
      expect(validate(invalid), JSON.stringify(invalid)).toBe(false)
    expect(compile(schemaOf('V2StackArgument'))(list)).toBe(false)
  })
})

describe('the actions of family v3', () => {
  const validate = compile(schemaOf('Action'))
  const [burn] = schemaOf('KnownAction')['examples'] as [Json]

  it('have the common fields of the table', () => {
    expectFields(schemaOf('ActionEnvelope'), without(fieldsOf('Action'), 'type', 'details', 'raw_action?'))
    for (const name of ['KnownAction', 'UnknownAction'])
      expect(schemaOf(name)['allOf'], name).toEqual([{ $ref: '#/components/schemas/ActionEnvelope' }])
  })

  it('have the types of the table', () => {
    expect([...actions.keys()].toSorted()).toEqual(table.actions.flatMap((action) => action.types).toSorted())
  })

  it.each(table.actions.flatMap((action) => action.types.map((type) => [type, action.details] as const)))(
    '%s has the details of the table',
    (type, details) => {
      expectFields(resolved(document, actions.get(type)), details)
    },
  )

  it('never have the details of another type', () => {
    expect(validate(burn)).toBe(true)
    expect(validate({ ...burn, type: 'jetton_mint' })).toBe(false)
  })

  it('of a type without details have the fields that the index stores', () => {
    const unknown = { ...burn, type: 'newer', details: { error: 'no details' }, raw_action: { Opcode: 1 } }
    expect(validate(unknown)).toBe(true)
    expect(validate({ ...unknown, details: {} })).toBe(false)
    expect(validate({ ...unknown, raw_action: undefined })).toBe(false)
  })
})

describe('the orders of family v3', () => {
  it('have the common fields of the table', () => {
    expectFields(schemaOf('OrderAction'), without(fieldsOf('OrderAction'), 'parsed_body', 'parsed_body_type'))
  })

  it('have the bodies of the table', () => {
    const named = [...orderBodies].flatMap(([type, schema]) => referred(schema).map((name) => [type, name]))
    expect(named.map(([type]) => type)).toEqual(table.orderBodies.map(({ type }) => type))
    for (const [index, [, name = '']] of named.entries())
      expectFields(schemaOf(name), fieldsOf(name, table.orderBodies[index]?.parsed_body))
  })

  it('have no body when the message could not be parsed', () => {
    const validate = compile(schemaOf('OrderAction'))
    const [order] = schemaOf('OrderAction')['examples'] as [Json]
    const unread = { ...order, body_raw: null, parsed: false, error: 'not a message', parsed_body: null }
    expect(validate({ ...unread, parsed_body_type: 'unknown' })).toBe(true)
    expect(validate(unread)).toBe(false)
    expect(validate({ ...order, parsed_body_type: 'jetton_mint' })).toBe(false)
  })
})
