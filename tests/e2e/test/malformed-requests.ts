/** The expected response to a request or message: each response is a result or an error with this code. */
export interface ExpectedResponse {
  /**
   * Error codes, one per response. `result` means a response without an error. An error of a node itself is a number.
   */
  readonly outcomes: readonly (number | 'result' | 'error')[]
  /** HTTP status. 200 if omitted. */
  readonly status?: number
  /** The id of a single response, as JSON text. */
  readonly idText?: string
}

/** A body or message that no well-behaved client sends, with the documented response. */
export interface MalformedRequest extends ExpectedResponse {
  readonly name: string
  readonly body: Uint8Array
  /** Longer than the gateway accepts: a WebSocket is closed with 1009. */
  readonly isTooLong?: boolean
  /** Valid as a WebSocket message. */
  readonly isForWebSocket?: boolean
}

/** Longest body that the gateway accepts, in bytes. */
export const maxBodyBytes = 5_242_880

const encoder = new TextEncoder()
const address = `0x${'5'.repeat(40)}`

// Members appended to a valid call. Later members replace earlier ones.
const call = (members: string) => `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]${members}}`
const params = (method: string, text: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${text}}`
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

const parseError: ExpectedResponse = { outcomes: [-32_700], idText: 'null' }
const invalidRequest: ExpectedResponse = { outcomes: [-32_600], idText: 'null' }
const rejected = (code: number): ExpectedResponse => ({ outcomes: [code], idText: '1' })
const served: ExpectedResponse = { outcomes: ['result'], idText: '1' }

const outsideOfWebSocket = 'a subscription outside of a WebSocket'

const texts: readonly (readonly [name: string, text: string, expected: ExpectedResponse])[] = [
  ['an empty body', '', parseError],
  ['whitespace', ' \n\t ', parseError],
  ['an open brace', '{', parseError],
  ['a truncated call', '{"jsonrpc":"2.0","id":1,"meth', parseError],
  ['two concatenated calls', call('') + call(''), parseError],
  ['form data', 'method=eth_chainId&id=1', parseError],
  ['XML', '<?xml version="1.0"?><methodCall/>', parseError],
  ['NaN', call(',"id":NaN'), parseError],
  ['Infinity', call(',"params":[Infinity]'), parseError],
  ['hex without quotes', call(',"id":0x1'), parseError],
  ['a trailing comma', call(','), parseError],
  ['single quotes', "{'jsonrpc':'2.0'}", parseError],
  ['a comment', `/* hi */${call('')}`, parseError],
  ['a line break in a string', call(',"method":"eth_\nchainId"'), parseError],
  ['a NUL byte', call(',"method":"eth_\0chainId"'), parseError],
  ['100,000 open brackets', '['.repeat(100_000), invalidRequest],

  ['null', 'null', invalidRequest],
  ['a number', '5', invalidRequest],
  ['a string', '"eth_chainId"', invalidRequest],
  ['true', 'true', invalidRequest],
  ['an empty object', '{}', invalidRequest],
  ['an empty batch', '[]', invalidRequest],
  ['a nested array', '[[]]', { outcomes: [-32_600] }],
  ['100,000 arrays in each other', nested(100_000), invalidRequest],
  ['a batch of invalid calls', '[1,"x",null,[],true]', { outcomes: Array<number>(5).fill(-32_600) }],
  [
    'a batch with one invalid call',
    `[${call('')},{"id":2},${call(',"id":3')}]`,
    { outcomes: ['result', -32_600, 'result'] },
  ],
  [
    '20,000 calls at once',
    `[${Array<string>(20_000).fill('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}').join()}]`,
    invalidRequest,
  ],
  [
    '20,000 calls without ids',
    `[${Array<string>(20_000).fill('{"jsonrpc":"2.0","method":"eth_chainId"}').join()}]`,
    invalidRequest,
  ],

  ['a missing version', '{"id":1,"method":"eth_chainId"}', rejected(-32_600)],
  ['an old version', call(',"jsonrpc":"1.0"'), rejected(-32_600)],
  ['a version that is a number', call(',"jsonrpc":2.0'), rejected(-32_600)],
  ['an id that is an object', call(',"id":{}'), invalidRequest],
  ['an id that is a list', call(',"id":[1]'), invalidRequest],
  ['an id that is true', call(',"id":true'), { ...served, idText: 'true' }],
  ['a missing method', '{"jsonrpc":"2.0","id":1}', rejected(-32_600)],
  ['a method that is a number', call(',"method":5'), rejected(-32_600)],
  ['a method that is null', call(',"method":null'), rejected(-32_600)],
  ['a method that is a list', call(',"method":["eth_chainId"]'), rejected(-32_600)],
  ['params that are a string', call(',"params":"[]"'), rejected(-32_600)],
  ['params that are a number', call(',"params":0'), rejected(-32_600)],
  ['params that are null', call(',"params":null'), served],

  ['an empty method', call(',"method":""'), rejected(-32_601)],
  ['a method of 900,000 characters', call(`,"method":"${'x'.repeat(900_000)}"`), rejected(-32_601)],
  ['a method with a lone surrogate', call(',"method":"\\ud800"'), rejected(-32_601)],
  ['a method of the JavaScript prototype', call(',"method":"__proto__"'), rejected(-32_601)],
  ['a method that is a path', call(',"method":"../../eth_chainId"'), rejected(-32_601)],
  ['a method of the development chain', call(',"method":"anvil_setBalance"'), rejected(-32_601)],
  [outsideOfWebSocket, call(',"method":"eth_subscribe","params":["newHeads"]'), rejected(-32_601)],

  ['params by name', params('eth_getBalance', `{"address":"${address}"}`), rejected(-32_602)],
  ['too few params', params('eth_getBlockByHash', '["0x12"]'), rejected(-32_602)],
  ['10,000 params', params('eth_getBalance', `[${Array<number>(10_000).fill(1).join()}]`), rejected(-32_602)],
  ['100,000 levels where nothing belongs', params('eth_chainId', nested(100_000)), invalidRequest],
  ['100,000 levels for the node', params('eth_getBalance', `[${nested(100_000)}]`), invalidRequest],
  ['100,000 levels for an adapter', params('debug_traceCallMany', `[${nested(100_000)},{}]`), invalidRequest],
  [
    '100,000 levels inside of a transaction',
    params(
      'debug_traceCallMany',
      `[[{"transactions":[{"to":"${address}","x":${nested(100_000)}}]}],{"blockNumber":"0x1","transactionIndex":-1}]`,
    ),
    invalidRequest,
  ],
  ['500 levels where nothing belongs', params('eth_chainId', nested(500)), rejected(-32_602)],
  ['params of the wrong type', params('eth_getBalance', '[5,{}]'), { outcomes: ['error'], idText: '1' }],
  [
    'a number above 256 bits',
    params('eth_getBalance', `["${address}",1e400]`),
    { outcomes: ['error'], idText: '1' },
  ],
  [
    'overrides of the JavaScript prototype',
    params(
      'debug_traceCallMany',
      `[[{"transactions":[{"to":"${address}"}]}],{"blockNumber":"0x1","transactionIndex":-1},{"__proto__":{"balance":"0x1"}}]`,
    ),
    rejected(-32_602),
  ],

  [
    'members of the JavaScript prototype',
    '{"__proto__":{"method":"eth_chainId"},"jsonrpc":"2.0","id":1}',
    rejected(-32_600),
  ],
  ['a constructor', call(',"constructor":{"prototype":{"method":"evm_mine"}}'), served],
  ['a duplicate member', call(',"method":"anvil_setBalance","method":"eth_chainId"'), served],
  ['an escaped member name', call(',"\\u006dethod":"eth_blockNumber"'), served],
  ['10,000 more members', call(Array.from({ length: 10_000 }, (_, at) => `,"x${at}":0`).join('')), served],
  ['a byte order mark', `\uFEFF${call('')}`, served],
  [
    'an id of 10,000 digits',
    call(`,"id":${'7'.repeat(10_000)}`),
    { outcomes: ['result'], idText: '7'.repeat(10_000) },
  ],
  [
    'an id of a million characters',
    call(`,"id":"${'i'.repeat(1_000_000)}"`),
    { outcomes: ['result'], idText: `"${'i'.repeat(1_000_000)}"` },
  ],
  ['an id with a lone surrogate', call(',"id":"\\ud800"'), { outcomes: ['result'], idText: '"\\ud800"' }],
  ['an id that is a fraction', call(',"id":1.50'), { outcomes: ['result'], idText: '1.50' }],
  ['an id that is null', call(',"id":null'), { outcomes: ['result'], idText: 'null' }],
  ['a notification', '{"jsonrpc":"2.0","method":"eth_nothing"}', { outcomes: [], status: 204 }],
  ['a batch of notifications', '[{"jsonrpc":"2.0","method":"eth_nothing"}]', { outcomes: [], status: 204 }],
]

const bytes: readonly (readonly [name: string, body: Uint8Array, expected: ExpectedResponse])[] = [
  ['bytes that are not UTF-8', Uint8Array.of(0xff, 0xfe, 0xfd), parseError],
  ['a truncated character at the end', Uint8Array.of(...encoder.encode('"'), 0xe2, 0x82), parseError],
  [
    'an overlong encoding',
    Uint8Array.of(...encoder.encode('"'), 0xc0, 0xaf, ...encoder.encode('"')),
    parseError,
  ],
  [
    'an encoded surrogate',
    Uint8Array.of(...encoder.encode('"'), 0xed, 0xa0, 0x80, ...encoder.encode('"')),
    parseError,
  ],
  ['UTF-16', new Uint8Array(Buffer.from(call(''), 'utf16le')), parseError],
  ['gzip data', Uint8Array.of(0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 3), parseError],
]

/**
 * Bodies that no well-behaved client sends. They are also invalid as WebSocket messages, except the subscription.
 *
 * @see docs/reference/node-access.md
 */
export const malformedRequests: readonly MalformedRequest[] = [
  ...texts.map(([name, text, expected]) => ({
    name,
    body: encoder.encode(text),
    ...expected,
    isForWebSocket: name === outsideOfWebSocket,
  })),
  ...bytes.map(([name, body, expected]) => ({ name, body, ...expected })),
  {
    name: 'one byte too many',
    body: encoder.encode(call('').padEnd(maxBodyBytes + 1)),
    ...invalidRequest,
    status: 413,
    isTooLong: true,
  },
  { name: 'as many bytes as there may be', body: encoder.encode(call('').padEnd(maxBodyBytes)), ...served },
]
