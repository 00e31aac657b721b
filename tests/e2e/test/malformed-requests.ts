/** The expected response to a request or message: each response is a result or an error with this code. */
export interface ExpectedAnswer {
  /**
   * Error codes, one per response. `result` means a response without an error. An error of a node itself is a number.
   */
  readonly answers: readonly (number | 'result' | 'error')[]
  /** HTTP status. 200 if omitted. */
  readonly status?: number
  /** The id of a single response, as JSON text. */
  readonly idText?: string
}

/** A body or message that no well-behaved client sends, with the documented response. */
export interface MalformedRequest extends ExpectedAnswer {
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

const parseError: ExpectedAnswer = { answers: [-32_700], idText: 'null' }
const noCall: ExpectedAnswer = { answers: [-32_600], idText: 'null' }
const refused = (code: number): ExpectedAnswer => ({ answers: [code], idText: '1' })
const served: ExpectedAnswer = { answers: ['result'], idText: '1' }

const outsideOfWebSocket = 'a subscription outside of a WebSocket'

const texts: readonly (readonly [name: string, text: string, expected: ExpectedAnswer])[] = [
  ['nothing', '', parseError],
  ['white space', ' \n\t ', parseError],
  ['an open brace', '{', parseError],
  ['half a call', '{"jsonrpc":"2.0","id":1,"meth', parseError],
  ['two calls in a row', call('') + call(''), parseError],
  ['a form', 'method=eth_chainId&id=1', parseError],
  ['XML', '<?xml version="1.0"?><methodCall/>', parseError],
  ['NaN', call(',"id":NaN'), parseError],
  ['Infinity', call(',"params":[Infinity]'), parseError],
  ['hex without quotes', call(',"id":0x1'), parseError],
  ['a trailing comma', call(','), parseError],
  ['single quotes', "{'jsonrpc':'2.0'}", parseError],
  ['a comment', `/* hi */${call('')}`, parseError],
  ['a raw line break in a text', call(',"method":"eth_\nchainId"'), parseError],
  ['a NUL byte', call(',"method":"eth_\0chainId"'), parseError],
  ['100,000 open brackets', '['.repeat(100_000), parseError],

  ['null', 'null', noCall],
  ['a number', '5', noCall],
  ['a text', '"eth_chainId"', noCall],
  ['true', 'true', noCall],
  ['an empty object', '{}', noCall],
  ['an empty batch', '[]', noCall],
  ['an array in an array', '[[]]', { answers: [-32_600] }],
  ['100,000 arrays in each other', nested(100_000), { answers: [-32_600] }],
  ['a batch of what are no calls', '[1,"x",null,[],true]', { answers: Array<number>(5).fill(-32_600) }],
  [
    'a batch with one bad call',
    `[${call('')},{"id":2},${call(',"id":3')}]`,
    { answers: ['result', -32_600, 'result'] },
  ],
  [
    '20,000 calls at once',
    `[${Array<string>(20_000).fill('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}').join()}]`,
    { answers: Array<number>(20_000).fill(-32_600) },
  ],
  [
    '20,000 calls without ids',
    `[${Array<string>(20_000).fill('{"jsonrpc":"2.0","method":"eth_chainId"}').join()}]`,
    { answers: [-32_600] },
  ],

  ['no version', '{"id":1,"method":"eth_chainId"}', refused(-32_600)],
  ['an old version', call(',"jsonrpc":"1.0"'), refused(-32_600)],
  ['a version that is a number', call(',"jsonrpc":2.0'), refused(-32_600)],
  ['an id that is an object', call(',"id":{}'), noCall],
  ['an id that is a list', call(',"id":[1]'), noCall],
  ['an id that is true', call(',"id":true'), { ...served, idText: 'true' }],
  ['no method', '{"jsonrpc":"2.0","id":1}', refused(-32_600)],
  ['a method that is a number', call(',"method":5'), refused(-32_600)],
  ['a method that is null', call(',"method":null'), refused(-32_600)],
  ['a method that is a list', call(',"method":["eth_chainId"]'), refused(-32_600)],
  ['params that are a text', call(',"params":"[]"'), refused(-32_600)],
  ['params that are a number', call(',"params":0'), refused(-32_600)],
  ['params that are null', call(',"params":null'), served],

  ['an empty method', call(',"method":""'), refused(-32_601)],
  ['a method of 900,000 letters', call(`,"method":"${'x'.repeat(900_000)}"`), refused(-32_601)],
  ['a method with half a character', call(',"method":"\\ud800"'), refused(-32_601)],
  ['a method of the language', call(',"method":"__proto__"'), refused(-32_601)],
  ['a method that is a path', call(',"method":"../../eth_chainId"'), refused(-32_601)],
  ['a method of the development chain', call(',"method":"anvil_setBalance"'), refused(-32_601)],
  [outsideOfWebSocket, call(',"method":"eth_subscribe","params":["newHeads"]'), refused(-32_601)],

  ['params by name', params('eth_getBalance', `{"address":"${address}"}`), refused(-32_602)],
  ['too few params', params('eth_getBlockByHash', '["0x12"]'), refused(-32_602)],
  ['10,000 params', params('eth_getBalance', `[${Array<number>(10_000).fill(1).join()}]`), refused(-32_602)],
  ['100,000 levels where nothing belongs', params('eth_chainId', nested(100_000)), refused(-32_602)],
  [
    '100,000 levels for the node',
    params('eth_getBalance', `[${nested(100_000)}]`),
    { answers: ['error'], idText: '1' },
  ],
  [
    '100,000 levels for an adapter',
    params('debug_traceCallMany', `[${nested(100_000)},{}]`),
    refused(-32_602),
  ],
  [
    '100,000 levels inside of a transaction',
    params(
      'debug_traceCallMany',
      `[[{"transactions":[{"to":"${address}","x":${nested(100_000)}}]}],{"blockNumber":"0x1","transactionIndex":-1}]`,
    ),
    refused(-32_602),
  ],
  ['params of the wrong type', params('eth_getBalance', '[5,{}]'), { answers: ['error'], idText: '1' }],
  [
    'a number that is too large for anything',
    params('eth_getBalance', `["${address}",1e400]`),
    { answers: ['error'], idText: '1' },
  ],
  [
    'overrides of the language',
    params(
      'debug_traceCallMany',
      `[[{"transactions":[{"to":"${address}"}]}],{"blockNumber":"0x1","transactionIndex":-1},{"__proto__":{"balance":"0x1"}}]`,
    ),
    refused(-32_602),
  ],

  [
    'members of the language',
    '{"__proto__":{"method":"eth_chainId"},"jsonrpc":"2.0","id":1}',
    refused(-32_600),
  ],
  ['a constructor', call(',"constructor":{"prototype":{"method":"evm_mine"}}'), served],
  ['a member twice', call(',"method":"anvil_setBalance","method":"eth_chainId"'), served],
  ['a member in disguise', call(',"\\u006dethod":"eth_blockNumber"'), served],
  ['10,000 more members', call(Array.from({ length: 10_000 }, (_, at) => `,"x${at}":0`).join('')), served],
  ['a byte order mark', `\uFEFF${call('')}`, served],
  [
    'an id of 10,000 digits',
    call(`,"id":${'7'.repeat(10_000)}`),
    { answers: ['result'], idText: '7'.repeat(10_000) },
  ],
  [
    'an id of a million letters',
    call(`,"id":"${'i'.repeat(1_000_000)}"`),
    { answers: ['result'], idText: `"${'i'.repeat(1_000_000)}"` },
  ],
  ['an id with half a character', call(',"id":"\\ud800"'), { answers: ['result'], idText: '"\\ud800"' }],
  ['an id that is a fraction', call(',"id":1.50'), { answers: ['result'], idText: '1.50' }],
  ['an id that is null', call(',"id":null'), { answers: ['result'], idText: 'null' }],
  ['a notification of nothing', '{"jsonrpc":"2.0","method":"eth_nothing"}', { answers: [], status: 204 }],
  ['a batch of notifications', '[{"jsonrpc":"2.0","method":"eth_nothing"}]', { answers: [], status: 204 }],
]

const bytes: readonly (readonly [name: string, body: Uint8Array, expected: ExpectedAnswer])[] = [
  ['bytes that are no text', Uint8Array.of(0xff, 0xfe, 0xfd), parseError],
  ['half a character at the end', Uint8Array.of(...encoder.encode('"'), 0xe2, 0x82), parseError],
  [
    'a character written too long',
    Uint8Array.of(...encoder.encode('"'), 0xc0, 0xaf, ...encoder.encode('"')),
    parseError,
  ],
  [
    'half a character as bytes',
    Uint8Array.of(...encoder.encode('"'), 0xed, 0xa0, 0x80, ...encoder.encode('"')),
    parseError,
  ],
  ['UTF-16', new Uint8Array(Buffer.from(call(''), 'utf16le')), parseError],
  ['what a compressor makes', Uint8Array.of(0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 3), parseError],
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
    ...noCall,
    status: 413,
    isTooLong: true,
  },
  { name: 'as many bytes as there may be', body: encoder.encode(call('').padEnd(maxBodyBytes)), ...served },
]
