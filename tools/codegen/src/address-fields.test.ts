import { stripTypeScriptTypes } from 'node:module'
import { describe, expect, it } from 'vitest'
import { addressFields } from './address-fields.ts'
import type { Json } from './bundle.ts'

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const text = { type: 'string' }
const address = { type: 'string', format: 'address' }

function documentOf(response: Json, schemas: Json = {}): Json {
  const responses = { 200: { content: { 'application/json': { schema: response } } } }
  return {
    paths: { '/rows': { get: { responses }, post: { responses } } },
    components: { schemas: { Address: address, ...schemas } },
  }
}

async function fieldsOf(response: Json, schemas: Json = {}): Promise<unknown> {
  const code = stripTypeScriptTypes(addressFields(documentOf(response, schemas)) ?? '')
  const { addressTypes, addressResponses } = (await import(
    `data:text/javascript,${encodeURIComponent(code)}`
  )) as { addressTypes: Json; addressResponses: Json }
  return { types: addressTypes, response: addressResponses['/rows'] }
}

describe('the positions of addresses', () => {
  it('are properties, items and keys', async () => {
    const properties = {
      owner: reference('Address'),
      signers: { type: 'array', items: address },
      book: { type: 'object', propertyNames: reference('Address'), additionalProperties: text },
      tokens: { type: 'object', propertyNames: address, additionalProperties: { type: 'object' } },
      balances: { type: 'object', additionalProperties: { type: 'object', properties: { of: address } } },
      comment: text,
    }
    expect(await fieldsOf({ type: 'object', properties })).toEqual({
      types: {},
      response: {
        owner: true,
        signers: true,
        book: { '@': true },
        tokens: { '@': true },
        balances: { '*': { of: true } },
      },
    })
  })

  it('are found in recursive types, and only in types with addresses', async () => {
    const schemas = {
      Node: {
        properties: {
          row: reference('Row'),
          children: { items: reference('Node') },
          stack: reference('Stack'),
        },
      },
      Row: { properties: { owner: reference('Address'), amount: text } },
      Stack: { properties: { entries: { items: reference('Stack') } } },
    }
    expect(await fieldsOf(reference('Node'), schemas)).toEqual({
      types: { Node: { children: 'Node', row: 'Row' }, Row: { owner: true } },
      response: 'Node',
    })
  })

  it('are those of all schemas of a union', async () => {
    const schemas = {
      Sale: { properties: { buyer: address, price: text } },
      Bid: { properties: { bidder: { oneOf: [address, { type: 'null' }] } } },
      Note: { properties: { text } },
    }
    const response = { items: { anyOf: [reference('Sale'), reference('Bid'), reference('Note')] } }
    expect(await fieldsOf(response, schemas)).toEqual({
      types: { Bid: { bidder: true }, Sale: { buyer: true } },
      response: ['Sale', 'Bid'],
    })
  })
})

it('returns undefined for a document without addresses', () => {
  expect(addressFields(documentOf({ properties: { hash: text } }))).toBeUndefined()
})

it('rejects a union in which a property is an address or another string', () => {
  const schemas = {
    Details: { oneOf: [{ properties: { target: reference('Address') } }, reference('Other')] },
    Other: { properties: { target: { oneOf: [text, { type: 'null' }] } } },
  }
  expect(() => addressFields(documentOf(reference('Details'), schemas))).toThrow('Details.target')
  const response = { oneOf: [{ properties: { target: address } }, reference('Other')] }
  expect(() => addressFields(documentOf(response, { Other: schemas.Other }))).toThrow('/rows.target')
})
