import { Address, beginCell, Cell, external, storeMessage } from '@ton/core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { jettonAccess } from './jetton/access.ts'
import { type Example, findExample } from './jetton/example.ts'
import { maxBodyBytes } from '@fairlead/e2e-tests/malformed-requests'

const {
  nodes: [, , node],
} = inject('development')
const jetton = jettonAccess(node)

const address = new Address(0, Buffer.alloc(32, 7))
const friendly = address.toString()
const raw = address.toRawString()
const hex = raw.slice(2)
const burns = `/api/v3/jetton/burns?address=${friendly}`
const history = `/api/v2/getTransactions?address=${friendly}`
const json = { 'content-type': 'application/json' }
const post = (body: BodyInit, headers: Readonly<Record<string, string>> = json): RequestInit => ({
  method: 'POST',
  headers,
  body,
})

type Row = readonly [name: string, path: string, status: number, error: RegExp, init?: RequestInit]

const addresses = {
  empty: '',
  'that is not an address': 'wallet',
  'with a wrong checksum': `${friendly.slice(0, -2)}AA`,
  'that is one character too short': friendly.slice(0, -1),
  'that is one character too long': `${friendly}A`,
  'with an invalid character': `${friendly.slice(0, -1)}!`,
  'with an unknown tag': beginCell().endCell().hash().toString('base64') + 'AAAA',
  'in raw form, one digit too short': raw.slice(0, -1),
  'in raw form, one digit too long': `${raw}0`,
  'in raw form, with an invalid digit': `${raw.slice(0, -1)}g`,
  'in raw form, without a workchain': hex,
  'in raw form, with an invalid workchain': `base:${hex}`,
  'in raw form, with a workchain beyond 32 bits': `4294967296:${hex}`,
  'of an EVM chain': `0x${'5'.repeat(40)}`,
  'with spaces': ` ${friendly} `,
  'in quotes': `"${friendly}"`,
  'with a NUL': `${friendly}\0`,
}
const addressRows = Object.entries(addresses).flatMap(([name, value]): Row[] => [
  [`an address ${name}`, `/api/v2/getAddressBalance?address=${encodeURIComponent(value)}`, 422, /address/],
  [
    `a jetton with an address ${name}`,
    `/api/v3/jetton/burns?address=${encodeURIComponent(value)}`,
    422,
    /address/,
  ],
])

const queryRows: readonly Row[] = [
  ['no address', '/api/v3/jetton/burns', 422, /address/],
  ['two addresses', `${burns}&address=${friendly}`, 422, /address/],
  ['two addresses, one of them invalid', `${burns}&address=x`, 422, /address/],
  ...['0', '-1', '10001', '100000', 'abc', '1.5', '1e2', '', '0x10', ' 1', '9'.repeat(30)].map(
    (limit): Row => [`${limit || 'no'} burns`, `${burns}&limit=${limit}`, 422, /limit/],
  ),
  ['a repeated limit', `${burns}&limit=1&limit=2`, 422, /limit/],
  ['a limit that is a list', `${burns}&limit[]=1&limit=1,2`, 422, /limit/],
  ['an offset below 0', `${burns}&offset=-1`, 422, /offset/],
  ['a fractional offset', `${burns}&offset=0.5`, 422, /offset/],
  ['an unknown sort order', `${burns}&sort=up`, 422, /sort/],
  ['a sort order in capitals', `${burns}&sort=DESC`, 422, /sort/],
  ['two sort orders', `${burns}&sort=asc&sort=desc`, 422, /sort/],
  ['an escape that cannot be decoded', '/api/v2/getAddressBalance?address=%E0%A4%A', 422, /address/],
  ['0 transactions', `${history}&limit=0`, 422, /limit/],
  ['more transactions than the page limit', `${history}&limit=1001`, 422, /limit/],
  ['a logical time without a hash', `${history}&lt=1`, 422, /lt and hash/],
  ['a hash without a logical time', `${history}&hash=${hex}`, 422, /lt and hash/],
  ['a logical time beyond 64 bits', `${history}&lt=9223372036854775808&hash=${hex}`, 422, /lt/],
  ['a truncated hash', `${history}&lt=1&hash=${hex.slice(2)}`, 422, /hash/],
  ['block 0', '/api/v2/shards?seqno=0', 422, /seqno/],
  ['a block beyond the head', '/api/v2/shards?seqno=2147483647', 500, /./],
  [
    'a block of an unknown workchain',
    '/api/v2/lookupBlock?workchain=7&shard=-9223372036854775808&seqno=1',
    500,
    /./,
  ],
  [
    'a block by number and logical time',
    '/api/v2/lookupBlock?workchain=-1&shard=1&seqno=1&lt=1',
    422,
    /seqno, lt/,
  ],
  [
    'an unknown transaction',
    `/api/v2/tryLocateTx?source=${friendly}&destination=${raw}&created_lt=1`,
    404,
    /not found/,
  ],
  ['more rows than the limit of the index', '/api/v3/transactions?limit=1001', 422, /limit/],
  ['an invalid account among valid ones', `/api/v3/transactions?account=${raw}&account=x`, 422, /account/],
  ['an unknown direction', '/api/v3/messages?direction=up', 422, /direction/],
]

const pathRows: readonly Row[] = [
  ['an unknown method', '/api/v2/getWeather', 404, /./],
  ['a method in lower case', '/api/v2/getconfigparam?config_id=15', 404, /./],
  ['an unknown path', '/api/v3/jetton/rain', 404, /./],
  ['an unknown family', '/api/v4/jetton/burns', 404, /./],
  ['a path with an encoded slash', `/api/v3/jetton%2Fburns?address=${friendly}`, 404, /./],
  ['no family', '/api', 404, /./],
  ['GET of what is called', '/api/v2/jsonRPC', 405, /./],
  ['GET of what is sent', '/api/v2/sendBoc?boc=te6c', 405, /./],
  ['POST of what is read', burns, 405, /./, post('{}')],
  ['DELETE', burns, 405, /./, { method: 'DELETE' }],
]

const rpc = (members: string) => `{"jsonrpc":"2.0","id":1,"method":"getConfigParam",${members}}`
const config = (params: string) => rpc(`"params":${params}`)
const callRows = (
  [
    ['an empty body', '', /JSON/],
    ['a truncated call', rpc('"params"').slice(0, 30), /JSON/],
    ['two concatenated calls', config('{}') + config('{}'), /JSON/],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), /UTF-8/],
    ['null', 'null', /object/],
    ['a string', '"getConfigParam"', /object/],
    ['a batch', `[${config('{"config_id":15}')}]`, /batch/],
    ['an empty batch', '[]', /batch/],
    ['params that are an array', config('[15]'), /params/],
    ['params that are a string', config('"15"'), /params/],
    ['params that are null', config('null'), /config_id/],
    ['params that are a number', config('15'), /params/],
    ['no params where one is required', '{"jsonrpc":"2.0","id":1,"method":"getConfigParam"}', /config_id/],
    ['a parameter that is an object', config('{"config_id":{}}'), /config_id/],
    ['no id', '{"jsonrpc":"2.0","method":"getConfigParam","params":{"config_id":15}}', /id/],
    ['an id that is null', config('{"config_id":15}').replace('1,', 'null,'), /id/],
    ['an id that is not an integer', config('{"config_id":15}').replace('1,', '1.5,'), /id/],
    ['an id that is an object', config('{"config_id":15}').replace('1,', '{},'), /id/],
    ['another version', config('{"config_id":15}').replace('2.0', '1.0'), /jsonrpc/],
    ['no method', '{"jsonrpc":"2.0","id":1,"params":{}}', /method/],
    ['a method that is a number', '{"jsonrpc":"2.0","id":1,"method":1,"params":{}}', /method/],
    ['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"getWeather","params":{}}', /method/],
    [
      'a method of the JavaScript prototype',
      '{"jsonrpc":"2.0","id":1,"method":"toString","params":{}}',
      /method/,
    ],
    ['a method that is a path', '{"jsonrpc":"2.0","id":1,"method":"../v3/blocks","params":{}}', /method/],
  ] as const
).map(([name, body, error]): Row => [`a call: ${name}`, '/api/v2/jsonRPC', 422, error, post(body)])

const boc = (cell: Cell) => JSON.stringify({ boc: cell.toBoc().toString('base64') })
const message = (body: Cell) =>
  beginCell()
    .store(storeMessage(external({ to: address, body })))
    .endCell()
let deep = Cell.EMPTY
for (let depth = 0; depth < 600; depth++) deep = beginCell().storeRef(deep).endCell()
// All cells are different, because equal cells would be serialized once.
const wideCell = Array.from({ length: 600 }, (_, index) => Buffer.alloc(120, `${index} `)).reduce(
  (next, bytes) => beginCell().storeBuffer(bytes).storeRef(next).endCell(),
  Cell.EMPTY,
)
const method = (members: string) => `{"address":"${friendly}","method":"seqno","stack":[]${members}}`
const bodyRows: readonly Row[] = [
  ['a missing message', '/api/v2/sendBoc', 422, /boc/, post('{}')],
  ['a message that is a number', '/api/v2/sendBoc', 422, /boc/, post('{"boc":1}')],
  ['a message that is not base64', '/api/v2/sendBoc', 422, /boc/, post('{"boc":"@@@"}')],
  ['a message that is not a bag of cells', '/api/v2/sendBoc', 422, /boc/, post('{"boc":"AAAA"}')],
  ['a truncated bag of cells', '/api/v2/sendBoc', 422, /boc/, post('{"boc":"te6cckEBAQEAEgAA"}')],
  ['a cell that is not a message', '/api/v2/sendBoc', 500, /ext_in_msg_info/, post(boc(Cell.EMPTY))],
  ['a message that is too deep', '/api/v2/sendBoc', 500, /too deep/, post(boc(message(deep)))],
  ['a message that is too large', '/api/v2/sendBoc', 500, /too large/, post(boc(message(wideCell)))],
  ['a message to an uninitialized account', '/api/v2/sendBoc', 500, /./, post(boc(message(Cell.EMPTY)))],
  [
    'a message to an uninitialized account, without an error',
    '/api/v2/sendBocReturnHashNoError',
    400,
    /./,
    post(boc(message(Cell.EMPTY))),
  ],
  [
    'a message to an uninitialized account, through the index',
    '/api/v3/message',
    500,
    /./,
    post(boc(message(Cell.EMPTY))),
  ],
  ['a missing message, to the index', '/api/v3/message', 422, /boc/, post('{}')],
  [
    'a body above the size limit',
    '/api/v2/sendBoc',
    413,
    /./,
    post(JSON.stringify({ boc: 'A'.repeat(maxBodyBytes) })),
  ],
  [
    'a call above the size limit',
    '/api/v2/jsonRPC',
    413,
    /./,
    post(config(`{"config_id":15}${' '.repeat(maxBodyBytes)}`)),
  ],
  [
    'a get method with an invalid stack entry',
    '/api/v2/runGetMethod',
    422,
    /stack/,
    post(method(',"stack":[1]')),
  ],
  [
    'a get method whose stack is a string',
    '/api/v2/runGetMethod',
    422,
    /stack/,
    post(method(',"stack":"x"')),
  ],
  [
    'a get method with an unsupported stack entry',
    '/api/v2/runGetMethod',
    422,
    /stack/,
    post(method(',"stack":[["tvm.Builder","x"]]')),
  ],
  ['a POST body that is an array', '/api/v2/getAddressBalance', 422, /object/, post('[]')],
]

// Accounts of a kind other than the operation expects. Those of the sample jetton are read from the chain.
const otherRows = [
  ['a wallet that is a jetton', 'v3/walletInformation', 'master', /not a wallet/],
  ['a jetton that is a wallet', 'v2/getTokenData', 'wallet', /./],
] as const

const rows = [...addressRows, ...queryRows, ...pathRows, ...callRows, ...bodyRows]
const cases = rows.map(([name, path, status, error, init]) => ({ name, path, status, error, init }))

/** The state that no request of these tests may change. */
async function stateOfChain(): Promise<unknown> {
  const page = { limit: 1 }
  return Promise.all([
    jetton.list('transactions', page),
    jetton.list('topAccountsByBalance', { limit: 1000 }),
  ])
}
let before: unknown
let example: Example
beforeAll(async () => {
  ;[before, example] = await Promise.all([stateOfChain(), findExample(jetton)])
})
afterAll(async () => {
  expect(await stateOfChain()).toEqual(before)
})

describe('the TON API returns a status and a reason', () => {
  it.each(otherRows)('%s', async (_, path, account, error) => {
    const response = await jetton.call(`/api/${path}?address=${example[account]}`)
    expect(response.status).toBe(409)
    expect(await response.json()).toEqual({
      ok: false,
      error: expect.stringMatching(error) as string,
      code: 409,
    })
  })

  it.each(cases)('$name', async ({ path, status, error, init }) => {
    const response = await jetton.call(path, init)
    const text = await response.text()
    expect({ status: response.status, body: JSON.parse(text) as unknown }).toEqual({
      status,
      body: expect.objectContaining({
        ok: false,
        error: expect.stringMatching(error) as string,
        code: status,
      }),
    })
    expect(response.headers.get('content-type')).toContain('application/json')
    expect(text).not.toContain(node.token)
    if (status === 405) expect(response.headers.get('allow')).toMatch(/GET|POST/)
    if (path === '/api/v2/jsonRPC' && status !== 405) {
      expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0', id: /"id":1,/.test(text) ? 1 : null })
    }
  })
})
