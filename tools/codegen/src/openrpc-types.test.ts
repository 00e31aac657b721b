import { describe, expect, it } from 'vitest'
import { derivedOpenApi, methodsOf, typeOf } from './openrpc-types.ts'

describe('typeOf', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['a component by its name', { $ref: '#/components/schemas/Block' }, 'Block'],
    ['a text', { type: 'string' }, 'string'],
    ['an integer', { type: 'integer' }, 'number'],
    ['a constant', { const: '0x1' }, '"0x1"'],
    ['a closed set', { enum: ['asc', 'desc'] }, '"asc" | "desc"'],
    ['something that may be null', { type: ['string', 'null'] }, 'string | null'],
    ['a union', { oneOf: [{ $ref: '#/components/schemas/A' }, { type: 'null' }] }, 'A | null'],
    ['a list', { type: 'array', items: { type: 'boolean' } }, 'boolean[]'],
    [
      'a list of a union',
      { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
      '(string | null)[]',
    ],
    [
      'a map',
      { type: 'object', additionalProperties: { $ref: '#/components/schemas/A' } },
      'Record<string, A>',
    ],
    ['one part', { allOf: [{ $ref: '#/components/schemas/A' }], default: 'latest' }, 'A'],
    [
      'parts of which one is a union',
      {
        allOf: [
          { oneOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }] },
          { $ref: '#/components/schemas/C' },
        ],
      },
      '(A | B) & C',
    ],
  ])('generates %s', (_, schema, expected) => {
    expect(typeOf(schema)).toBe(expected)
  })

  it('requires a named schema for an object', () => {
    expect(() => typeOf({ type: 'object', properties: { a: { type: 'string' } } })).toThrow(
      'give this schema a separate name in components: {"type":"object","properties":{"a":{"type":"string"}}}',
    )
  })
})

const schemas = { Hash: { title: 'Hash', type: 'string' }, Block: { title: 'Block', type: 'object' } }
const method = (name: string, extra: object = {}) => ({
  name,
  params: [{ name: 'hash', required: true, schema: { $ref: '#/components/schemas/Hash' } }],
  result: { name: 'block', schema: { $ref: '#/components/schemas/Block' } },
  ...extra,
})
const documentOf = (...methods: object[]) => ({
  openrpc: '1.3.2',
  info: { title: 't', version: '1' },
  methods,
  components: { schemas },
})

describe('methodsOf', () => {
  it('sorts by name and resolves references', () => {
    const document = {
      ...documentOf(method('b'), {
        ...method('a'),
        params: [{ $ref: '#/components/contentDescriptors/Hash' }],
      }),
      components: { schemas, contentDescriptors: { Hash: { name: 'hash', schema: { type: 'string' } } } },
    }
    const methods = methodsOf(document)
    expect(methods.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(methods[0]?.params).toEqual([{ name: 'hash', schema: { type: 'string' } }])
  })

  it('reports the method of overloads with unresolved references', () => {
    const overload = (name: string) => [
      { when: { flag: true }, result: { oneOf: [{ $ref: `../block.yaml#/${name}` }, { type: 'null' }] } },
    ]
    expect(methodsOf(documentOf(method('a', { 'x-overloads': overload('Block') })))).toHaveLength(1)
    expect(() => methodsOf(documentOf(method('a', { 'x-overloads': overload('Blok') })))).toThrow(
      'a: x-overloads: ../block.yaml#/Blok is no schema that the document uses elsewhere',
    )
  })
})

describe('derivedOpenApi', () => {
  it('has one operation per method, its parameters as a tuple', () => {
    const derived = derivedOpenApi(documentOf(method('b'), method('a')))
    expect(Object.keys(derived['paths'] as object)).toEqual(['/a', '/b'])
    expect((derived['paths'] as Record<string, unknown>)['/a']).toMatchObject({
      post: {
        operationId: 'a',
        requestBody: {
          content: {
            'application/json': {
              schema: { prefixItems: [{ $ref: '#/components/schemas/Hash' }], items: false },
            },
          },
        },
        responses: {
          200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Block' } } } },
        },
      },
    })
    expect(derived['components']).toEqual({ schemas })
  })

  it('accepts a document without components', () => {
    const plain = { name: 'a', params: [], result: { name: 'r', schema: { type: 'boolean' } } }
    expect(derivedOpenApi({ openrpc: '1.3.2', info: {}, methods: [plain] })['components']).toEqual({
      schemas: {},
    })
  })
})
