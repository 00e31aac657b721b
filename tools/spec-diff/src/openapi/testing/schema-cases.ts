import type { Json } from '@fairlead/codegen/src/bundle.ts'
import { answered, asked, both, object, type OpenapiCase, query, type Side, side, text } from './case.ts'

// The request references one component, which references another one.
function nested(schema: Json): Side {
  const outer = both('Flotilla', object({ flag: { $ref: '#/components/schemas/Ensign' } }))
  return { ...outer, schemas: { ...outer.schemas, Ensign: schema } }
}

/** Test cases for the rules about schemas. */
export const schemaCases: readonly OpenapiCase[] = [
  {
    title: 'property deprecated',
    bump: 'minor',
    category: 'deprecated',
    base: answered(object({ mast: text })),
    head: answered(object({ mast: { ...text, deprecated: true } })),
  },
  {
    title: 'default of a request property removed',
    bump: 'major',
    base: asked(object({ hull: { ...text, default: 'a' } })),
    head: asked(object({ hull: text })),
  },
  {
    title: 'default of an answer changed',
    bump: 'minor',
    base: answered(object({ hull: { ...text, default: 'a' } })),
    head: answered(object({ hull: { ...text, default: 'b' } })),
  },
  {
    title: 'schema renamed',
    bump: 'major',
    base: both('Brigantine', object({ sails: { type: 'integer' }, port: text })),
    head: both('BrigantineShip', object({ sails: { type: 'integer' }, port: text })),
  },
  {
    title: 'schema removed',
    bump: 'major',
    base: { ...side({}), schemas: { Xebec: { type: 'array', items: { type: 'boolean' }, maxItems: 3 } } },
    head: side({}),
  },
  {
    title: 'request enum grew',
    bump: 'minor',
    category: 'added',
    base: query({ schema: { enum: ['a'] } }),
    head: query({ schema: { enum: ['a', 'b'] } }),
  },
  {
    title: 'request enum shrank',
    bump: 'major',
    base: query({ schema: { enum: ['a', 'b'] } }),
    head: query({ schema: { enum: ['a'] } }),
  },
  {
    title: 'response enum grew',
    bump: 'minor',
    category: 'added',
    base: answered({ enum: ['a'] }),
    head: answered({ enum: ['a', 'b'] }),
  },
  {
    title: 'enum of a shared schema shrank',
    bump: 'major',
    base: both('Knots', { enum: ['a', 'b'] }),
    head: both('Knots', { enum: ['a'] }),
  },
  {
    title: 'optional request property removed',
    bump: 'major',
    base: asked(object({ keel: text, rudder: { type: 'integer' } })),
    head: asked(object({ keel: text })),
  },
  {
    title: 'optional request property added',
    bump: 'minor',
    category: 'added',
    base: asked(object({ keel: text })),
    head: asked(object({ keel: text, rudder: { type: 'integer' } })),
  },
  {
    title: 'request property renamed',
    bump: 'major',
    base: asked(object({ keelLength: text })),
    head: asked(object({ keel_length: text })),
  },
  {
    title: 'request property required',
    bump: 'major',
    base: asked(object({ keel: text })),
    head: asked(object({ keel: text }, { required: ['keel'] })),
  },
  {
    title: 'request property no longer required',
    bump: 'minor',
    base: asked(object({ keel: text }, { required: ['keel'] })),
    head: asked(object({ keel: text })),
  },
  {
    title: 'response property removed',
    bump: 'major',
    base: answered(object({ keel: text, rudder: { type: 'integer' } })),
    head: answered(object({ keel: text })),
  },
  {
    title: 'response property added',
    bump: 'minor',
    category: 'added',
    base: answered(object({ keel: text })),
    head: answered(object({ keel: text, rudder: { type: 'integer' } })),
  },
  {
    title: 'response made nullable',
    bump: 'major',
    base: answered(object({ keel: text })),
    head: answered(object({ keel: { type: ['string', 'null'] } })),
  },
  {
    title: 'response property no longer certain',
    bump: 'major',
    base: answered(object({ keel: text }, { required: ['keel'] })),
    head: answered(object({ keel: text })),
  },
  {
    title: 'new alternative in an answer',
    bump: 'major',
    base: answered({ oneOf: [text] }),
    head: answered({ oneOf: [text, { type: 'integer' }] }),
  },
  {
    title: 'closed answer',
    bump: 'major',
    base: answered(object({ keel: text })),
    head: answered(object({ keel: text }, { additionalProperties: false })),
  },
  {
    title: 'closed request',
    bump: 'major',
    base: asked(object({ keel: text })),
    head: asked(object({ keel: text }, { additionalProperties: false })),
  },
  {
    title: 'limit lowered',
    bump: 'major',
    base: asked(object({ keel: { ...text, maxLength: 9 } })),
    head: asked(object({ keel: { ...text, maxLength: 8 } })),
  },
  {
    title: 'limit raised',
    bump: 'minor',
    base: asked(object({ keel: { ...text, maxLength: 8 } })),
    head: asked(object({ keel: { ...text, maxLength: 9 } })),
  },
  {
    title: 'type changed',
    bump: 'major',
    base: answered(object({ keel: text })),
    head: answered(object({ keel: { type: 'integer' } })),
  },
  {
    title: 'default of a component in a component changed',
    bump: 'major',
    base: nested({ ...text, default: 'a' }),
    head: nested({ ...text, default: 'b' }),
  },
  {
    title: 'request property read only from now on',
    bump: 'major',
    base: asked(object({ keel: text })),
    head: asked(object({ keel: { ...text, readOnly: true } })),
  },
  {
    title: 'response property write only from now on',
    bump: 'major',
    base: answered(object({ keel: text })),
    head: answered(object({ keel: { ...text, writeOnly: true } })),
  },
  {
    title: 'longer tuple',
    bump: 'major',
    base: answered({ type: 'array', prefixItems: [text], items: false }),
    head: answered({ type: 'array', prefixItems: [text, text], items: false }),
  },
  {
    title: 'alternatives told apart by another property',
    bump: 'major',
    base: answered({ oneOf: [object({ a: text })], discriminator: { propertyName: 'a' } }),
    head: answered({ oneOf: [object({ a: text })], discriminator: { propertyName: 'b' } }),
  },
]
