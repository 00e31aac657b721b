import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { RestOperation, RpcOperation } from '../documents/operation.ts'
import { curlOf, grpcurlOf } from './curl.ts'
import { tokenPlaceholder } from './request.ts'
import { initialInputs, restRequest } from './rest-request.ts'
import { initialParams, rpcMessage, rpcRequest } from './rpc-request.ts'
import { targetWith } from './send.ts'

const operation: RestOperation = {
  kind: 'rest',
  id: 'getThings',
  name: 'getThings',
  group: 'Things',
  summary: '',
  description: '',
  isDeprecated: false,
  isExperimental: false,
  method: 'POST',
  path: '/things/{id}/',
  scopes: undefined,
  isPublic: false,
  parameters: [
    parameter('id', 'path', true, 'a/{auth_token}'),
    parameter('page', 'query', false, 2),
    {
      ...parameter('tag', 'query', true, ['x y', "it's"]),
      schema: { type: 'array', items: { type: 'string' } },
    },
    parameter('If-Match', 'header', false, '"3"'),
  ],
  body: {
    isRequired: true,
    description: '',
    contents: [
      { mediaType: 'application/json', schema: {}, examples: [{ title: '', value: { name: "it's" } }] },
    ],
  },
  responses: [
    {
      status: '200',
      description: '',
      headers: [],
      contents: ['application/json', 'application/octet-stream'].map((mediaType) => ({
        mediaType,
        schema: undefined,
        examples: [],
      })),
    },
  ],
}

function parameter(
  name: string,
  location: 'path' | 'query' | 'header',
  isRequired: boolean,
  example: unknown,
) {
  return {
    name,
    location,
    isRequired,
    isDeprecated: false,
    description: '',
    schema: { type: 'string' },
    example,
  }
}

describe('a REST request', () => {
  const inputs = initialInputs(operation, {})

  it('is initialized with the examples of required parameters', () => {
    expect(inputs).toEqual({
      parameters: { 'path id': 'a/{auth_token}', 'query tag': "x y\nit's" },
      body: '{\n  "name": "it\'s"\n}',
      accept: 'application/json',
    })
  })

  it('escapes values, repeats lists, and omits empty values', () => {
    const request = restRequest(operation, `/beacon/${tokenPlaceholder}`, inputs, {})
    expect(request).toEqual({
      method: 'POST',
      target: "/beacon/{auth_token}/things/a%2F%7Bauth_token%7D/?tag=x%20y&tag=it's",
      headers: { 'Content-Type': 'application/json' },
      body: inputs.body,
      access: 'node',
    })
  })

  it('sends headers and the selected media type', () => {
    const values = {
      ...inputs,
      parameters: { ...inputs.parameters, 'header If-Match': '"3"' },
      accept: 'application/octet-stream',
    }
    expect(restRequest(operation, '', values, {}).headers).toMatchObject({
      Accept: 'application/octet-stream',
      'If-Match': '"3"',
    })
  })

  it('sends the credential that the operation requires', () => {
    const access = (changes: Partial<RestOperation>) =>
      restRequest({ ...operation, ...changes }, '', inputs, {}).access
    expect([access({ scopes: [] }), access({ scopes: [], isPublic: true }), access({})]).toEqual([
      'platform',
      'public',
      'node',
    ])
  })
})

const method: RpcOperation = {
  kind: 'rpc',
  id: 'get',
  name: 'get',
  group: '',
  summary: '',
  description: '',
  isDeprecated: false,
  isByName: false,
  isIdempotent: true,
  params: [{ name: 'a', isRequired: true, description: '', schema: { type: 'string' } }],
  result: { description: '', schema: {} },
  overloads: [],
  subscriptions: [],
  errors: [],
  examples: [],
  transports: [],
  availability: [],
}

describe('a JSON-RPC request', () => {
  it('is initialized with an example', () => {
    const examples = [{ title: '', params: [{ name: 'a', value: 1 }], result: 2 }]
    expect(JSON.parse(initialParams(method, {}))).toEqual(['text'])
    expect(JSON.parse(initialParams({ ...method, examples }, {}))).toEqual([1])
    expect(JSON.parse(initialParams({ ...method, examples, isByName: true }, {}))).toEqual({ a: 1 })
  })

  it('preserves the entered params except for whitespace', () => {
    expect(rpcMessage(method, '[ 123456789012345678901,\n "a  \\" b" ]')).toBe(
      '{"jsonrpc":"2.0","id":1,"method":"get","params":[123456789012345678901,"a  \\" b"]}',
    )
    expect(rpcRequest(method, '', '').target).toBe('/')
  })
})

describe('a shell command', () => {
  it('sends the request, with the token from the environment', async () => {
    const request = restRequest(operation, `/${tokenPlaceholder}`, initialInputs(operation, {}), {})
    const command = curlOf(request, 'http://127.0.0.1:1')
    // The command after shell expansion, one word per line.
    const { stdout } = await promisify(execFile)(
      'sh',
      ['-c', `curl() { printf '%s\\0' "$@"; }; ${command}`],
      {
        env: { TOKEN: 's3cret' },
      },
    )
    expect(stdout.split('\0')).toEqual([
      "http://127.0.0.1:1/s3cret/things/a%2F%7Bauth_token%7D/?tag=x%20y&tag=it's",
      '-H',
      'Content-Type: application/json',
      '--data-raw',
      '{\n  "name": "it\'s"\n}',
      '',
    ])
  })

  it('sets the method where the default of curl differs, and the API key of the platform', () => {
    const request = { method: 'DELETE', target: '/v1/x/', headers: {}, body: undefined } as const
    expect(curlOf({ ...request, access: 'platform' }, 'https://a.example')).toBe(
      `curl -X DELETE 'https://a.example/v1/x/' \\\n  -H "Authorization: Bearer $TOKEN"`,
    )
    expect(curlOf({ ...request, method: 'GET', access: 'public' }, 'https://a.example')).toBe(
      `curl 'https://a.example/v1/x/'`,
    )
  })

  it('calls gRPC with and without TLS', () => {
    const ping = {
      ...method,
      kind: 'grpc',
      path: 'geyser.Geyser/Ping',
      request: { schema: {}, isStream: false },
      response: { schema: {}, isStream: false },
    } as const
    expect(grpcurlOf(ping, { count: 1 }, 'http://127.0.0.1:8645')).toContain('grpcurl -plaintext ')
    expect(grpcurlOf(ping, { count: 1 }, 'https://a.example')).toMatch(/a\.example:443 geyser\.Geyser\/Ping$/)
  })
})

it('escapes the token in the path', () => {
  const credential = { kind: 'token', token: '$&/a' } as const
  expect(targetWith({ target: `/ws/${tokenPlaceholder}` }, credential)).toBe('/ws/%24%26%2Fa')
})
