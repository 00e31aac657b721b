import { describe, expect, it } from 'vitest'
import { contractSchema, resolveReference } from './schema-references.ts'

describe('contractSchema', () => {
  it('leaves out what is for people, and extensions', () => {
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
    'keeps fields below %s, whatever their name',
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

  it('keeps a field named like the map that it stands in', () => {
    const schema = { properties: { properties: { properties: { description: { description: 'd' } } } } }
    expect(contractSchema(schema, 'doc')).toEqual({
      properties: { properties: { properties: { description: {} } } },
    })
  })

  it('takes values as they are', () => {
    const value = { description: 'wire', 'x-y': 1, $ref: '#/wire' }
    const schema = { const: value, default: value, enum: [value] }
    expect(contractSchema(schema, 'doc')).toEqual(schema)
  })

  it('lets references name the document', () => {
    const schema = {
      anyOf: [{ $ref: '#/components/schemas/A' }, { items: { $ref: '#/components/schemas/B' } }],
    }
    expect(contractSchema(schema, 'doc')).toEqual({
      anyOf: [{ $ref: 'doc#/components/schemas/A' }, { items: { $ref: 'doc#/components/schemas/B' } }],
    })
  })

  it('takes a reference out of the list that kept prose beside it', () => {
    const one = { allOf: [{ $ref: '#/components/schemas/A' }] }
    const schema = {
      properties: {
        plain: { description: 'Prose.', ...one },
        more: { default: 'latest', ...one },
        two: { allOf: [...one.allOf, { type: 'object' }] },
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

  it('keeps a map whose only field is named like that list', () => {
    expect(contractSchema({ properties: { allOf: [{}] } }, 'doc')).toEqual({ properties: { allOf: [{}] } })
  })

  it('comes to an end on a schema that contains itself', () => {
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

  it('follows references to references, and escaped keys', () => {
    expect(resolveReference(document, { $ref: '#/components/schemas/Alias' })).toEqual({ type: 'string' })
  })

  it('gives back what is no reference', () => {
    const value = { type: 'integer' }
    expect(resolveReference(document, value)).toBe(value)
  })

  it('names a reference that leads nowhere', () => {
    expect(() => resolveReference(document, { $ref: '#/components/headers/Missing' })).toThrow(
      '#/components/headers/Missing leads nowhere',
    )
  })
})
