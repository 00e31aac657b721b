import { stripTypeScriptTypes } from 'node:module'
import { describe, expect, it } from 'vitest'
import type { Json } from './bundle.ts'
import { openapiContract } from './openapi-contract.ts'

const block = { $ref: '#/components/schemas/Block' }
const jsonOf = (schema: Json) => ({ 'application/json': { schema } })

async function routeOf(operation: Json, shared: Json = {}): Promise<Json> {
  const document = {
    openapi: '3.1.0',
    info: { title: 't', version: '1.0.0' },
    paths: { '/blocks': { ...shared, post: { operationId: 'publish', responses: {}, ...operation } } },
    components: {
      schemas: { Block: { title: 'Block', type: 'object' } },
      parameters: { Version: { name: 'Version', in: 'header', required: true, schema: { type: 'string' } } },
      requestBodies: { Block: { required: true, content: jsonOf(block) } },
      responses: { Block: { description: 'A block.', content: jsonOf(block) } },
    },
  }
  const code = stripTypeScriptTypes(openapiContract(document, 'test'))
  const contract = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    routes: { publish: Json }
  }
  return contract.routes.publish
}

describe('a route', () => {
  it('omits default values', async () => {
    const route = await routeOf({
      tags: [],
      deprecated: false,
      parameters: [{ name: 'slot', in: 'query', schema: { type: 'string', description: 'A slot.' } }],
      requestBody: { content: jsonOf(block) },
      responses: {
        200: { description: 'ok', content: jsonOf(block), headers: {} },
        204: { description: 'ok' },
      },
    })
    expect(route).toEqual({
      operationId: 'publish',
      method: 'POST',
      path: '/blocks',
      pathParameters: {},
      query: { slot: { required: false, schema: { type: 'string' } } },
      requestBody: { required: false, schema: { $ref: 'test#/components/schemas/Block' } },
      responses: { 200: { schema: { $ref: 'test#/components/schemas/Block' } }, 204: {} },
    })
  })

  it('has its tags and stability', async () => {
    const route = await routeOf({ tags: ['Beacon'], deprecated: true, 'x-stability': 'experimental' })
    expect(route).toMatchObject({ tags: ['Beacon'], deprecated: true, stability: 'experimental' })
  })

  it('has its deprecation and sunset dates', async () => {
    const ending = { deprecated: true, 'x-deprecated-since': '2026-11-22', 'x-sunset': '2027-06-30' }
    expect(await routeOf(ending)).toMatchObject({ deprecatedSince: '2026-11-22', sunset: '2027-06-30' })
    await expect(routeOf({ ...ending, deprecated: false })).rejects.toThrow(
      'publish: x-deprecated-since is set on an operation that is not deprecated',
    )
    await expect(routeOf({ ...ending, 'x-sunset': 'soon' })).rejects.toThrow(
      'publish: x-sunset must be a date as year-month-day',
    )
  })

  it('has the required scopes, or is public', async () => {
    expect(await routeOf({ 'x-scopes': ['blocks:write'] })).toMatchObject({ scopes: ['blocks:write'] })
    expect(await routeOf({ 'x-scopes': [], security: [{ key: [] }] })).toMatchObject({ scopes: [] })
    expect(await routeOf({ security: [{ key: [] }] })).not.toHaveProperty('public')
    expect(await routeOf({ security: [] })).toMatchObject({ public: true })
  })

  it('has the headers of the request, including those of the path, and of the responses', async () => {
    const route = await routeOf(
      {
        parameters: [{ $ref: '#/components/parameters/Version' }],
        responses: { 200: { description: 'ok', headers: { Version: {}, Value: {} } } },
      },
      { parameters: [{ name: 'Trace', in: 'header', schema: { type: 'integer' } }] },
    )
    expect(route['headers']).toEqual({
      Trace: { required: false, schema: { type: 'integer' } },
      Version: { required: true, schema: { type: 'string' } },
    })
    expect(route['query']).toEqual({})
    expect(route['responses']).toEqual({ 200: { headers: ['Version', 'Value'] } })
  })

  it('has all media types if JSON is not the only one', async () => {
    const content = { ...jsonOf(block), 'application/octet-stream': { schema: {} } }
    const route = await routeOf({
      requestBody: { content },
      responses: { 200: { description: 'ok', content } },
    })
    const expected = {
      schema: { $ref: 'test#/components/schemas/Block' },
      mediaTypes: ['application/json', 'application/octet-stream'],
    }
    expect(route['requestBody']).toEqual({ required: false, ...expected })
    expect((route['responses'] as Json)['200']).toEqual(expected)
  })

  it('has the schema of one event for an event stream', async () => {
    const content = { 'text/event-stream': { schema: block } }
    const route = await routeOf({ responses: { 200: { description: 'ok', content } } })
    expect((route['responses'] as Json)['200']).toEqual({
      schema: { $ref: 'test#/components/schemas/Block' },
      mediaTypes: ['text/event-stream'],
    })
  })

  it('follows references to bodies and responses', async () => {
    const route = await routeOf({
      requestBody: { $ref: '#/components/requestBodies/Block' },
      responses: { 200: { $ref: '#/components/responses/Block' } },
    })
    const schema = { $ref: 'test#/components/schemas/Block' }
    expect(route['requestBody']).toEqual({ required: true, schema })
    expect(route['responses']).toEqual({ 200: { schema } })
  })
})
