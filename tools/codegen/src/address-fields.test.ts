import { stripTypeScriptTypes } from 'node:module'
import { describe, expect, it } from 'vitest'
import { addressFields } from './address-fields.ts'
import type { Json } from './bundle.ts'

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const text = { type: 'string' }
const address = { type: 'string', format: 'address' }

function documentOf(answer: Json, schemas: Json = {}): Json {
  const responses = { 200: { content: { 'application/json': { schema: answer } } } }
  return {
    paths: { '/rows': { get: { responses }, post: { responses } } },
    components: { schemas: { Address: address, ...schemas } },
  }
}

async function fieldsOf(answer: Json, schemas: Json = {}): Promise<unknown> {
  const code = stripTypeScriptTypes(addressFields(documentOf(answer, schemas)) ?? '')
  const { addressTypes, addressResponses } = (await import(
    `data:text/javascript,${encodeURIComponent(code)}`
  )) as { addressTypes: Json; addressResponses: Json }
  return { types: addressTypes, answer: addressResponses['/rows'] }
}

describe('the places of addresses', () => {
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
      answer: {
        owner: true,
        signers: true,
        book: { '@': true },
        tokens: { '@': true },
        balances: { '*': { of: true } },
      },
    })
  })

  it('are found in types that refer to each other, and only in those that hold some', async () => {
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
      answer: 'Node',
    })
  })

  it('are those of all schemas of a union', async () => {
    const schemas = {
      Sale: { properties: { buyer: address, price: text } },
      Bid: { properties: { bidder: { oneOf: [address, { type: 'null' }] } } },
      Note: { properties: { text } },
    }
    const answer = { items: { anyOf: [reference('Sale'), reference('Bid'), reference('Note')] } }
    expect(await fieldsOf(answer, schemas)).toEqual({
      types: { Bid: { bidder: true }, Sale: { buyer: true } },
      answer: ['Sale', 'Bid'],
    })
  })
})

it('has nothing to say about a document without addresses', () => {
  expect(addressFields(documentOf({ properties: { hash: text } }))).toBeUndefined()
})

it('refuses a union in which a property is an address or another text', () => {
  const schemas = {
    Details: { oneOf: [{ properties: { target: reference('Address') } }, reference('Other')] },
    Other: { properties: { target: { oneOf: [text, { type: 'null' }] } } },
  }
  expect(() => addressFields(documentOf(reference('Details'), schemas))).toThrow('Details.target')
  const answer = { oneOf: [{ properties: { target: address } }, reference('Other')] }
  expect(() => addressFields(documentOf(answer, { Other: schemas.Other }))).toThrow('/rows.target')
})
