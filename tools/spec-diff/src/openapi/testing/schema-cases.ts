import type { Json } from '@fairlead/codegen/src/bundle.ts'
import {
  inResponse,
  inRequest,
  both,
  object,
  type OpenapiCase,
  query,
  type Side,
  side,
  text,
} from './case.ts'

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
    base: inResponse(object({ mast: text })),
    head: inResponse(object({ mast: { ...text, deprecated: true } })),
  },
  {
    title: 'default of a request property removed',
    bump: 'major',
    base: inRequest(object({ hull: { ...text, default: 'a' } })),
    head: inRequest(object({ hull: text })),
  },
  {
    title: 'default of a response changed',
    bump: 'minor',
    base: inResponse(object({ hull: { ...text, default: 'a' } })),
    head: inResponse(object({ hull: { ...text, default: 'b' } })),
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
    base: inResponse({ enum: ['a'] }),
    head: inResponse({ enum: ['a', 'b'] }),
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
    base: inRequest(object({ keel: text, rudder: { type: 'integer' } })),
    head: inRequest(object({ keel: text })),
  },
  {
    title: 'optional request property added',
    bump: 'minor',
    category: 'added',
    base: inRequest(object({ keel: text })),
    head: inRequest(object({ keel: text, rudder: { type: 'integer' } })),
  },
  {
    title: 'request property renamed',
    bump: 'major',
    base: inRequest(object({ keelLength: text })),
    head: inRequest(object({ keel_length: text })),
  },
  {
    title: 'request property required',
    bump: 'major',
    base: inRequest(object({ keel: text })),
    head: inRequest(object({ keel: text }, { required: ['keel'] })),
  },
  {
    title: 'request property no longer required',
    bump: 'minor',
    base: inRequest(object({ keel: text }, { required: ['keel'] })),
    head: inRequest(object({ keel: text })),
  },
  {
    title: 'response property removed',
    bump: 'major',
    base: inResponse(object({ keel: text, rudder: { type: 'integer' } })),
    head: inResponse(object({ keel: text })),
  },
  {
    title: 'response property added',
    bump: 'minor',
    category: 'added',
    base: inResponse(object({ keel: text })),
    head: inResponse(object({ keel: text, rudder: { type: 'integer' } })),
  },
  {
    title: 'response made nullable',
    bump: 'major',
    base: inResponse(object({ keel: text })),
    head: inResponse(object({ keel: { type: ['string', 'null'] } })),
  },
  {
    title: 'response property no longer certain',
    bump: 'major',
    base: inResponse(object({ keel: text }, { required: ['keel'] })),
    head: inResponse(object({ keel: text })),
  },
  {
    title: 'new alternative in a response',
    bump: 'major',
    base: inResponse({ oneOf: [text] }),
    head: inResponse({ oneOf: [text, { type: 'integer' }] }),
  },
  {
    title: 'closed response',
    bump: 'major',
    base: inResponse(object({ keel: text })),
    head: inResponse(object({ keel: text }, { additionalProperties: false })),
  },
  {
    title: 'closed request',
    bump: 'major',
    base: inRequest(object({ keel: text })),
    head: inRequest(object({ keel: text }, { additionalProperties: false })),
  },
  {
    title: 'limit lowered',
    bump: 'major',
    base: inRequest(object({ keel: { ...text, maxLength: 9 } })),
    head: inRequest(object({ keel: { ...text, maxLength: 8 } })),
  },
  {
    title: 'limit raised',
    bump: 'minor',
    base: inRequest(object({ keel: { ...text, maxLength: 8 } })),
    head: inRequest(object({ keel: { ...text, maxLength: 9 } })),
  },
  {
    title: 'type changed',
    bump: 'major',
    base: inResponse(object({ keel: text })),
    head: inResponse(object({ keel: { type: 'integer' } })),
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
    base: inRequest(object({ keel: text })),
    head: inRequest(object({ keel: { ...text, readOnly: true } })),
  },
  {
    title: 'response property write only from now on',
    bump: 'major',
    base: inResponse(object({ keel: text })),
    head: inResponse(object({ keel: { ...text, writeOnly: true } })),
  },
  {
    title: 'longer tuple',
    bump: 'major',
    base: inResponse({ type: 'array', prefixItems: [text], items: false }),
    head: inResponse({ type: 'array', prefixItems: [text, text], items: false }),
  },
  {
    title: 'alternatives distinguished by another property',
    bump: 'major',
    base: inResponse({ oneOf: [object({ a: text })], discriminator: { propertyName: 'a' } }),
    head: inResponse({ oneOf: [object({ a: text })], discriminator: { propertyName: 'b' } }),
  },
]
