import { describe, expect, it } from 'vitest'
import { contractSchema, resolveReference } from './schema-references.ts'

describe('contractSchema', () => {
  it('omits descriptions and extensions', () => {
    const schema = {
      title: 'Thing',
      description: 'A thing.',
      summary: 'Thing',
      deprecated: true,
      examples: [1],
      externalDocs: { url: 'https://example.com' },
      'x-note': 'n',
      type: 'array',
      items: { type: 'string', description: 'One.' },
    }
    expect(contractSchema(schema, 'doc')).toEqual({ type: 'array', items: { type: 'string' } })
  })

  it.each(['properties', 'patternProperties', 'dependentSchemas', '$defs'])(
    'preserves fields below %s, independent of their names',
    (key) => {
      const fields = {
        description: { type: 'string', description: 'd' },
        'x-kind': { type: 'string' },
        $ref: { type: 'string' },
      }
      expect(contractSchema({ [key]: fields }, 'doc')).toEqual({
        [key]: { description: { type: 'string' }, 'x-kind': { type: 'string' }, $ref: { type: 'string' } },
      })
    },
  )

  it('preserves a field with the name of its map', () => {
    const schema = { properties: { properties: { properties: { description: { description: 'd' } } } } }
    expect(contractSchema(schema, 'doc')).toEqual({
      properties: { properties: { properties: { description: {} } } },
    })
  })

  it('copies values unchanged', () => {
    const value = { description: 'wire', 'x-y': 1, $ref: '#/wire' }
    const schema = { const: value, default: value, enum: [value] }
    expect(contractSchema(schema, 'doc')).toEqual(schema)
  })

  it('prefixes references with the document', () => {
    const schema = {
      anyOf: [{ $ref: '#/components/schemas/A' }, { items: { $ref: '#/components/schemas/B' } }],
    }
    expect(contractSchema(schema, 'doc')).toEqual({
      anyOf: [{ $ref: 'doc#/components/schemas/A' }, { items: { $ref: 'doc#/components/schemas/B' } }],
    })
  })

  it('unwraps a reference from a list of one with a description', () => {
    const wrapped = { allOf: [{ $ref: '#/components/schemas/A' }] }
    const schema = {
      properties: {
        plain: { description: 'Prose.', ...wrapped },
        more: { default: 'latest', ...wrapped },
        two: { allOf: [...wrapped.allOf, { type: 'object' }] },
        allOf: { type: 'string' },
      },
    }
    const reference = { $ref: 'doc#/components/schemas/A' }
    expect(contractSchema(schema, 'doc')).toEqual({
      properties: {
        plain: reference,
        more: { default: 'latest', allOf: [reference] },
        two: { allOf: [reference, { type: 'object' }] },
        allOf: { type: 'string' },
      },
    })
  })

  it('preserves a map whose only field has the name of that list', () => {
    expect(contractSchema({ properties: { allOf: [{}] } }, 'doc')).toEqual({ properties: { allOf: [{}] } })
  })

  it('terminates on a recursive schema', () => {
    const node = { type: 'object', properties: { next: { $ref: '#/components/schemas/Node' } } }
    expect(contractSchema(node, 'doc')).toEqual({
      type: 'object',
      properties: { next: { $ref: 'doc#/components/schemas/Node' } },
    })
  })
})

describe('resolveReference', () => {
  const document = {
    components: { schemas: { 'a/b~c': { type: 'string' }, Alias: { $ref: '#/components/schemas/a~1b~0c' } } },
  }

  it('resolves chained references and escaped keys', () => {
    expect(resolveReference(document, { $ref: '#/components/schemas/Alias' })).toEqual({ type: 'string' })
  })

  it('returns a value without a reference unchanged', () => {
    const value = { type: 'integer' }
    expect(resolveReference(document, value)).toBe(value)
  })

  it('reports an unresolved reference', () => {
    expect(() => resolveReference(document, { $ref: '#/components/headers/Missing' })).toThrow(
      '#/components/headers/Missing leads nowhere',
    )
  })
})
