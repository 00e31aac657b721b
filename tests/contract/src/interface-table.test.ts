import { describe, expect, it } from 'vitest'
import {
  componentSchemas,
  type Json,
  methodsOf,
  operationsOf,
  type Operation,
  type RpcMethod,
  resolved,
  specification,
  validatorsOf,
} from './specifications.ts'

/** A schema in short notation: `string`, `integer?` is optional, `string|null` may be null, `object[]` is a list. */
function shortType(document: Json, node: unknown): string {
  const schema = resolved(document, node)
  const { type, oneOf, anyOf, allOf } = schema as {
    type?: string | string[]
    oneOf?: Json[]
    anyOf?: Json[]
    allOf?: Json[]
  }
  if (type === 'array') return `${shortType(document, schema['items'])}[]`
  if (typeof type === 'string') return type
  if (Array.isArray(type)) return type.join('|')
  const union = oneOf ?? anyOf
  if (union) return [...new Set(union.map((item) => shortType(document, item)))].join('|')
  if (allOf) return [...new Set(allOf.map((item) => shortType(document, item)))].join('&')
  throw new Error(`no type: ${JSON.stringify(schema)}`)
}

/** The fields of an object schema in short notation, including those of `allOf` parts. */
function fieldsOf(document: Json, name: string): Readonly<Record<string, string>> {
  const collect = (node: unknown): Record<string, string> => {
    const schema = resolved(document, node)
    const required = (schema['required'] ?? []) as string[]
    const ownFields = Object.entries((schema['properties'] ?? {}) as Json).map(([field, item]) => [
      field,
      shortType(document, item) + (required.includes(field) ? '' : '?'),
    ])
    const parts = ((schema['allOf'] ?? []) as Json[]).map(collect)
    return Object.assign({}, ...parts, Object.fromEntries(ownFields)) as Record<string, string>
  }
  return collect(componentSchemas(document)[name] ?? { $ref: `#/components/schemas/${name}` })
}

const blockFields = {
  number: 'string|null',
  hash: 'string|null',
  parentHash: 'string',
  timestamp: 'string',
  gasLimit: 'string',
  gasUsed: 'string',
  miner: 'string',
  difficulty: 'string',
  totalDifficulty: 'string?',
  size: 'string',
  extraData: 'string',
  nonce: 'string|null',
  receiptsRoot: 'string',
  stateRoot: 'string',
  transactionsRoot: 'string',
}

// The objects of the interface: document, schema, and each field with its type.
const objects: readonly [string, string, Readonly<Record<string, string>>][] = [
  ['platform', 'Organization', { id: 'string', name: 'string' }],
  [
    'platform',
    'Project',
    {
      id: 'string',
      name: 'string',
      description: 'string',
      type: 'string',
      members: 'integer',
      networks: 'integer',
      creator: 'object',
      created_at: 'string',
    },
  ],
  [
    'platform',
    'Creator',
    { id: 'string', email: 'string', first_name: 'string', last_name: 'string', organization: 'object' },
  ],
  [
    'platform',
    'ProjectPage',
    { count: 'integer', next: 'string|null', previous: 'string|null', results: 'object[]' },
  ],
  ['evm', 'BlockWithHashes', { ...blockFields, transactions: 'string[]' }],
  ['evm', 'TraceBundle', { transactions: 'object[]', blockOverride: 'object?' }],
  ['evm', 'BundleBlockOverride', { blockNumber: 'string?' }],
  ['evm', 'SimulationContext', { blockNumber: 'string', transactionIndex: 'integer' }],
  [
    'evm',
    'TransactionCall',
    { from: 'string?', to: 'string', gas: 'string?', gasPrice: 'string?', data: 'string?' },
  ],
  [
    'evm',
    'ExecutionTrace',
    { structLogs: 'object[]', gas: 'integer', returnValue: 'string', gasUsed: 'integer', failed: 'boolean' },
  ],
  [
    'evm',
    'StructLog',
    {
      pc: 'integer',
      op: 'string',
      gas: 'integer',
      gasCost: 'integer',
      depth: 'integer',
      stack: 'string[]',
      memory: 'string[]',
    },
  ],
  ['jetton-v3', 'JettonBurnList', { burns: 'object[]' }],
  [
    'jetton-v3',
    'JettonBurn',
    { jetton: 'object', burner: 'object', transaction: 'object', amount: 'string', comment: 'string' },
  ],
  ['jetton-v3', 'BurnedJetton', { address: 'string', name: 'string', symbol: 'string' }],
  ['jetton-v3', 'JettonBurner', { address: 'string' }],
  ['jetton-v3', 'JettonBurnTransaction', { hash: 'string', time: 'integer' }],
  ['jetton-v2', 'ConfigParam', { config_id: 'integer', value: 'object' }],
  // JSON-RPC also returns the cells of the parameter.
  [
    'jetton-v2-rpc',
    'JsonRpcConfigParam',
    { config_id: 'integer', value: 'object', '@type': 'string?', config: 'object?' },
  ],
  // A caller may also use a string id. The interface requires only that an integer is accepted and returned.
  [
    'jetton-v2',
    'JsonRpcRequest',
    { jsonrpc: 'string', method: 'string', params: 'object', id: 'integer|string' },
  ],
  // The union of all methods. The method of the interface has an object as its result.
  [
    'jetton-v2',
    'JsonRpcResponse',
    { jsonrpc: 'string', id: 'integer|string', result: 'object|array|string' },
  ],
  [
    'beacon',
    'ForkChoice',
    {
      justified_checkpoint: 'object',
      finalized_checkpoint: 'object',
      fork_choice_nodes: 'object[]',
      extra_data: 'object?',
    },
  ],
  ['beacon', 'Checkpoint', { epoch: 'string', root: 'string' }],
  [
    'beacon',
    'ForkChoiceNode',
    {
      slot: 'string',
      block_root: 'string',
      parent_root: 'string',
      justified_epoch: 'string',
      finalized_epoch: 'string',
      weight: 'string',
      validity: 'string',
      execution_block_hash: 'string',
      extra_data: 'object?',
    },
  ],
]

describe('the objects of the interface', () => {
  it.each(objects)('are in %s as %s with all of their fields', (name, schema, fields) => {
    expect(fieldsOf(specification(name), schema)).toMatchObject(fields)
  })

  it('include a block with full transactions', () => {
    const evm = specification('evm')
    const { transactions, ...fields } = fieldsOf(evm, 'BlockWithTransactions')
    expect(fields).toMatchObject(blockFields)
    const block = componentSchemas(evm)['BlockWithTransactions'] as { allOf: { properties?: Json }[] }
    const list = block.allOf.find(({ properties }) => properties)?.properties?.['transactions'] as Json
    expect(list['items']).toEqual({ $ref: '#/components/schemas/Transaction' })
    expect(transactions).toMatch(/\[\]$/)
  })

  it.each<[string, string, string, string]>([
    ['platform', 'Project', 'creator', 'Creator'],
    ['platform', 'Project', 'type', 'ProjectType'],
    ['platform', 'Creator', 'organization', 'Organization'],
    ['jetton-v3', 'JettonBurn', 'jetton', 'BurnedJetton'],
    ['jetton-v3', 'JettonBurn', 'burner', 'JettonBurner'],
    ['jetton-v3', 'JettonBurn', 'transaction', 'JettonBurnTransaction'],
    ['beacon', 'ForkChoice', 'justified_checkpoint', 'Checkpoint'],
    ['beacon', 'ForkChoice', 'finalized_checkpoint', 'Checkpoint'],
    ['beacon', 'ForkChoiceNode', 'validity', 'ForkChoiceValidity'],
  ])('are nested: in %s, %s.%s is a %s', (name, schema, field, target) => {
    const { properties } = componentSchemas(specification(name))[schema] as {
      properties: Record<string, Json>
    }
    expect(properties[field]?.['$ref']).toBe(`#/components/schemas/${target}`)
  })

  it.each<[string, string, string, string]>([
    ['platform', 'ProjectPage', 'results', 'Project'],
    ['evm', 'TraceBundle', 'transactions', 'TransactionCall'],
    ['evm', 'ExecutionTrace', 'structLogs', 'StructLog'],
    ['jetton-v3', 'JettonBurnList', 'burns', 'JettonBurn'],
    ['beacon', 'ForkChoice', 'fork_choice_nodes', 'ForkChoiceNode'],
  ])('are listed: in %s, %s.%s contains %s', (name, schema, field, target) => {
    const { properties } = componentSchemas(specification(name))[schema] as {
      properties: Record<string, { items: Json }>
    }
    expect(properties[field]?.items['$ref']).toBe(`#/components/schemas/${target}`)
  })
})

describe('the values of the interface', () => {
  it.each<[string, string, readonly string[]]>([
    ['platform', 'ProjectType', ['public']],
    ['beacon', 'ForkChoiceValidity', ['valid', 'invalid', 'optimistic']],
    ['jetton-v3', 'SortOrder', ['asc', 'desc']],
  ])('are enumerated: in %s, %s is one of %j', (name, schema, values) => {
    expect(componentSchemas(specification(name))[schema]?.['enum']).toEqual(values)
  })

  it('have at least one node in a fork choice', () => {
    const { properties } = componentSchemas(specification('beacon'))['ForkChoice'] as {
      properties: Record<string, Json>
    }
    expect(properties['fork_choice_nodes']?.['minItems']).toBe(1)
  })

  it('have times in UTC with microseconds and a trailing Z', () => {
    const document = specification('platform')
    const { properties } = componentSchemas(document)['Project'] as { properties: Record<string, Json> }
    const validate = validatorsOf(document)(properties['created_at'])
    expect(validate('2026-03-09T14:26:53.589793Z')).toBe(true)
    for (const invalid of [
      '2026-03-09T14:26:53Z',
      '2026-03-09T14:26:53.589Z',
      '2026-03-09T14:26:53.589793+00:00',
      '2026-03-09',
    ]) {
      expect(validate(invalid), invalid).toBe(false)
    }
  })

  it('have hashes of 32 bytes', () => {
    const document = specification('evm')
    const validate = validatorsOf(document)({ $ref: '#/components/schemas/Hash32' })
    expect(validate(`0x${'0a'.repeat(32)}`)).toBe(true)
    for (const invalid of [`0x${'0a'.repeat(31)}`, `0x${'0a'.repeat(33)}`, '0a'.repeat(32)])
      expect(validate(invalid), invalid).toBe(false)
  })

  it('number JSON-RPC calls from 1 and have version 2.0', () => {
    const { properties } = componentSchemas(specification('jetton-v2'))['JsonRpcRequest'] as {
      properties: Record<string, Json>
    }
    expect(properties['id']?.['default']).toBe(1)
    expect(properties['jsonrpc']?.['const']).toBe('2.0')
  })
})

// The REST operations: document, verb, path, component of the 200 body, and the query as
// `[name, type, required, default, allowed values]`.
type Query = readonly [string, string, boolean, unknown, readonly string[] | undefined]
const endpoints: readonly [string, string, string, string, readonly Query[]][] = [
  ['platform', 'get', '/v1/organization/', 'Organization', []],
  [
    'platform',
    'get',
    '/v2/projects/',
    'ProjectPage',
    [
      ['order_by', 'string', false, expect.anything(), ['name', '-name', 'created_at', '-created_at']],
      ['page', 'integer', false, 1, undefined],
      ['organization', 'string', false, undefined, undefined],
      ['name', 'string', false, undefined, undefined],
      ['type', 'string', false, undefined, ['public']],
    ],
  ],
  ['beacon', 'get', '/eth/v1/debug/fork_choice', 'ForkChoice', []],
  [
    'jetton-v2',
    'get',
    '/api/v2/getConfigParam',
    'ConfigParam',
    [['config_id', 'integer', true, undefined, undefined]],
  ],
  ['jetton-v2', 'post', '/api/v2/jsonRPC', 'JsonRpcResponse', []],
  [
    'jetton-v3',
    'get',
    '/api/v3/jetton/burns',
    'JettonBurnList',
    [
      ['address', 'string', true, undefined, undefined],
      ['limit', 'integer', false, 128, undefined],
      ['offset', 'integer', false, 0, undefined],
      ['sort', 'string', false, 'desc', ['asc', 'desc']],
      // In addition to the interface: a time range, for reading a long history.
      ['start_utime', 'integer', false, undefined, undefined],
      ['end_utime', 'integer', false, undefined, undefined],
    ],
  ],
]

function operationAt(document: Json, verb: string, path: string): Operation {
  const found = operationsOf(document).find((operation) => operation.verb === verb && operation.path === path)
  if (!found) throw new Error(`no ${verb} ${path}`)
  return found
}

describe('the endpoints of the interface', () => {
  it.each(endpoints)('%s has %s %s, with status 200 and %s', (name, verb, path, body) => {
    const { responses } = operationAt(specification(name), verb, path)
    const content = responses['200']?.['content'] as Record<string, { schema: Json }> | undefined
    expect(Object.keys(content ?? {})).toEqual(['application/json'])
    expect(content?.['application/json']?.schema['$ref']).toBe(`#/components/schemas/${body}`)
  })

  it.each(endpoints)(
    '%s accepts with %s %s (%s) exactly the query of the interface',
    (name, verb, path, _, query) => {
      const document = specification(name)
      const { parameters } = operationAt(document, verb, path)
      const actual = parameters
        .filter((parameter) => !isOptionalAddition(parameter))
        .map((parameter) => {
          const schema = resolved(document, parameter['schema'])
          const { default: defaultValue } = parameter['schema'] as Json
          const required = parameter['required'] === true
          expect(parameter['in']).toBe('query')
          return [
            parameter['name'],
            shortType(document, schema),
            required,
            defaultValue ?? schema['default'],
            schema['enum'],
          ]
        })
      expect(actual).toEqual(query)
    },
  )

  it('accept the parameters of the jetton JSON-RPC endpoint as an object', () => {
    const document = specification('jetton-v2')
    expect(fieldsOf(document, 'ConfigParamRequest')).toEqual({ config_id: 'integer' })
    const { operation } = operationAt(document, 'post', '/api/v2/jsonRPC')
    const body = resolved(document, operation['requestBody']) as {
      required: boolean
      content: Record<string, { schema: Json }>
    }
    expect(body.required).toBe(true)
    expect(body.content['application/json']?.schema['$ref']).toBe('#/components/schemas/JsonRpcRequest')
  })
})

// The JSON-RPC methods: document, name, parameters as `name type`, and the type of the result.
const methods: readonly [string, string, string, readonly string[], string][] = [
  ['evm', 'ots_getApiLevel', 'by-position', [], 'integer'],
  [
    'evm',
    'eth_getBlockByHash',
    'by-position',
    ['blockHash string', 'fullTransactionObjects boolean'],
    'object|null',
  ],
  ['evm', 'eth_getSystemTxsByBlockHash', 'by-position', ['blockHash string'], 'object[]|null'],
  ['evm', 'eth_syncing', 'by-position', [], 'boolean|object'],
  [
    'evm',
    'debug_traceCallMany',
    'by-position',
    ['bundles object[]', 'simulationContext object', 'stateOverrides object?'],
    'object[]',
  ],
  ['jetton-v2-rpc', 'getConfigParam', 'by-name', ['config_id integer'], 'object'],
]

function methodNamed(document: Json, name: string): RpcMethod {
  const found = methodsOf(document).find((method) => method.name === name)
  if (!found) throw new Error(`no ${name}`)
  return found
}

describe('the methods of the interface', () => {
  it.each(methods)('%s has %s, parameters %s: %j', (name, method, structure, params, result) => {
    const document = specification(name)
    const found = methodNamed(document, method)
    expect(found.paramStructure).toBe(structure)
    const actual = found.params.map((param) => {
      return `${param.name} ${shortType(document, param.schema)}${param.required === true ? '' : '?'}`
    })
    expect(actual).toEqual(params)
    expect(shortType(document, found.result.schema)).toBe(result)
  })

  it('reference the objects of the interface', () => {
    const evm = specification('evm')
    const [bundles, context, overrides] = methodNamed(evm, 'debug_traceCallMany').params.map(
      ({ schema }) => schema,
    )
    expect(bundles?.['items']).toEqual({ $ref: '#/components/schemas/TraceBundle' })
    expect(context).toEqual({ $ref: '#/components/schemas/SimulationContext' })
    expect(validatorsOf(evm)(overrides)({}), 'state overrides may be empty').toBe(true)
    const { items } = methodNamed(evm, 'debug_traceCallMany').result.schema
    expect(items).toEqual({ $ref: '#/components/schemas/ExecutionTrace' })
  })

  it('select with a flag whether a block contains hashes or full transactions', () => {
    const overloads = methodNamed(specification('evm'), 'eth_getBlockByHash')['x-overloads']
    expect(overloads).toEqual([overload(false, 'BlockWithHashes'), overload(true, 'BlockWithTransactions')])
  })

  it('accept any text as a block hash, because a malformed one returns null', () => {
    const evm = specification('evm')
    const { params, result } = methodNamed(evm, 'eth_getBlockByHash')
    const compile = validatorsOf(evm)
    expect(compile(params[0]?.schema)('not a hash')).toBe(true)
    expect(compile(result.schema)(null)).toBe(true)
  })

  it('return a parameter of TON as its endpoint does, and more', () => {
    const { result } = methodNamed(specification('jetton-v2-rpc'), 'getConfigParam')
    expect(result.schema).toEqual({ $ref: '#/components/schemas/JsonRpcConfigParam' })
  })

  it('always report a synchronized node on the high-throughput chain', () => {
    const evm = specification('evm')
    const endpoint = methodNamed(evm, 'eth_syncing')['x-endpoints']?.['evm']
    const validate = validatorsOf(evm)(endpoint?.result)
    expect(validate(false)).toBe(true)
    for (const invalid of [true, null, { startingBlock: '0x0', currentBlock: '0x0', highestBlock: '0x1' }]) {
      expect(validate(invalid)).toBe(false)
    }
  })
})

function overload(flag: boolean, schema: string) {
  return {
    when: { fullTransactionObjects: flag },
    result: { oneOf: [{ $ref: `#/components/schemas/${schema}` }, { type: 'null' }] },
  }
}

// The optional parameter that all our lists accept in addition to the interface.
function isOptionalAddition({ name, required = false }: Json): boolean {
  return name === 'page_size' && required === false
}

describe('the credentials of the interface', () => {
  it('are an API key as bearer token for every operation except those that create a session, or a browser session', () => {
    const platform = specification('platform')
    expect(platform['security']).toEqual([{ apiKey: [] }, { session: [] }])
    const { securitySchemes } = platform['components'] as { securitySchemes: Record<string, Json> }
    expect(Object.keys(securitySchemes)).toEqual(['apiKey', 'session'])
    expect(securitySchemes['apiKey']).toMatchObject({ type: 'http', scheme: 'bearer' })
    expect(securitySchemes['session']).toMatchObject({ type: 'apiKey', in: 'cookie' })
    const ownStatuses = operationsOf(platform).flatMap(({ operation }) =>
      operation['security'] === undefined
        ? []
        : [{ id: operation['operationId'], security: operation['security'] }],
    )
    expect(ownStatuses.every(({ security }) => Array.isArray(security) && security.length === 0)).toBe(true)
    expect(new Set(ownStatuses.map(({ id }) => id))).toEqual(
      new Set([
        'acceptInvitation',
        'beginOidcSignIn',
        'createSession',
        'finishOidcSignIn',
        'getSignInOptions',
      ]),
    )
  })

  it.each(['beacon', 'jetton-v2', 'jetton-v3'])(
    'are a token in the URL of %s, or basic authentication',
    (name) => {
      const document = specification(name)
      expect(document['security']).toEqual([{}, { nodeBasic: [] }])
      const { securitySchemes } = document['components'] as { securitySchemes: Record<string, Json> }
      expect(Object.keys(securitySchemes)).toEqual(['nodeBasic'])
      expect(securitySchemes['nodeBasic']).toMatchObject({ type: 'http', scheme: 'basic' })
    },
  )
})

describe('the URLs of the interface', () => {
  it.each<[string, readonly string[]]>([
    ['platform', ['{base_url}']],
    ['beacon', ['{node_url}/beacon/{auth_token}', '{node_url}/beacon']],
    ['jetton-v2', ['{node_url}/{auth_token}', '{node_url}']],
    ['jetton-v3', ['{node_url}/{auth_token}', '{node_url}']],
    ['evm', ['{node_url}/{auth_token}/evm', '{node_url}/{auth_token}', '{node_url}']],
    ['jetton-v2-rpc', ['{node_url}/{auth_token}/api/v2/jsonRPC', '{node_url}/api/v2/jsonRPC']],
  ])('of %s are %j', (name, shapes) => {
    const servers = specification(name)['servers'] as readonly Json[]
    expect(servers.map((server) => server['x-address-shape'] ?? server['url'])).toEqual(shapes)
  })
})
