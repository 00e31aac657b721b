import { expect, it } from 'vitest'
import { exampleOf } from './example-of.ts'
import type { JsonSchema, Schemas } from './json-schema.ts'

const schemas: Schemas = {
  Tree: {
    type: 'object',
    required: ['left'],
    properties: { left: { $ref: '#/components/schemas/Tree' }, other: { type: 'string' } },
  },
}

it.each<[schema: JsonSchema, example: unknown]>([
  [{ type: 'string', examples: ['a', 'b'] }, 'a'],
  [{ type: 'string', const: 'c', default: 'd' }, 'c'],
  [{ type: 'string', enum: ['e', 'f'] }, 'e'],
  [{ type: 'integer', minimum: 1 }, 1],
  [{ type: ['string', 'null'] }, 'text'],
  [{ oneOf: [{ type: 'boolean' }, { type: 'null' }] }, false],
  [{ type: 'array', items: { type: 'integer' } }, [0]],
  [{ type: 'array', prefixItems: [{ const: 1 }, { const: 2 }] }, [1, 2]],
  [{ type: 'object', required: ['a'], properties: { a: { default: 1 }, b: { default: 2 } } }, { a: 1 }],
])('creates an example of %j', (schema, example) => {
  expect(exampleOf(schema, schemas)).toEqual(example)
})

it('stops at a recursive schema', () => {
  const text = JSON.stringify(exampleOf({ $ref: '#/components/schemas/Tree' }, schemas))
  expect(text).toMatch(/^(?:\{"left":)+\{\}\}+$/)
})
