import { Address, beginCell, Cell, external, storeMessage } from '@ton/core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { jettonAccess } from './jetton/access.ts'
import { type Example, findExample } from './jetton/example.ts'
import { maxBodyBytes } from './malformed-requests.ts'

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
  'a word': 'wallet',
  'of a wrong checksum': `${friendly.slice(0, -2)}AA`,
  'one character short': friendly.slice(0, -1),
  'one character long': `${friendly}A`,
  'of a foreign alphabet': `${friendly.slice(0, -1)}!`,
  'of an unknown kind': beginCell().endCell().hash().toString('base64') + 'AAAA',
  'raw and one digit short': raw.slice(0, -1),
  'raw and one digit long': `${raw}0`,
  'raw with a foreign digit': `${raw.slice(0, -1)}g`,
  'raw without a workchain': hex,
  'raw with a word for a workchain': `base:${hex}`,
  'raw with a workchain beyond 32 bits': `4294967296:${hex}`,
  'of the other chain': `0x${'5'.repeat(40)}`,
  'with spaces': ` ${friendly} `,
  'in quotes': `"${friendly}"`,
  'with a NUL': `${friendly}\0`,
}
const ofAddresses = Object.entries(addresses).flatMap(([name, value]): Row[] => [
  [`an address ${name}`, `/api/v2/getAddressBalance?address=${encodeURIComponent(value)}`, 422, /address/],
  [
    `a jetton with an address ${name}`,
    `/api/v3/jetton/burns?address=${encodeURIComponent(value)}`,
    422,
    /address/,
  ],
])

const ofQueries: readonly Row[] = [
  ['no address', '/api/v3/jetton/burns', 422, /address/],
  ['two addresses', `${burns}&address=${friendly}`, 422, /address/],
  ['two addresses of which one is bad', `${burns}&address=x`, 422, /address/],
  ...['0', '-1', '10001', '100000', 'abc', '1.5', '1e2', '', '0x10', ' 1', '9'.repeat(30)].map(
    (limit): Row => [`${limit || 'no'} burns`, `${burns}&limit=${limit}`, 422, /limit/],
  ),
  ['a limit given twice', `${burns}&limit=1&limit=2`, 422, /limit/],
  ['a limit that is a list', `${burns}&limit[]=1&limit=1,2`, 422, /limit/],
  ['an offset below 0', `${burns}&offset=-1`, 422, /offset/],
  ['half an offset', `${burns}&offset=0.5`, 422, /offset/],
  ['an order that does not exist', `${burns}&sort=up`, 422, /sort/],
  ['an order in capitals', `${burns}&sort=DESC`, 422, /sort/],
  ['two orders', `${burns}&sort=asc&sort=desc`, 422, /sort/],
  ['an escape that cannot be decoded', '/api/v2/getAddressBalance?address=%E0%A4%A', 422, /address/],
  ['0 transactions', `${history}&limit=0`, 422, /limit/],
  ['more transactions than a page holds', `${history}&limit=1001`, 422, /limit/],
  ['a logical time without a hash', `${history}&lt=1`, 422, /lt and hash/],
  ['a hash without a logical time', `${history}&hash=${hex}`, 422, /lt and hash/],
  ['a logical time beyond 64 bits', `${history}&lt=9223372036854775808&hash=${hex}`, 422, /lt/],
  ['half a hash', `${history}&lt=1&hash=${hex.slice(2)}`, 422, /hash/],
  ['block 0', '/api/v2/shards?seqno=0', 422, /seqno/],
  ['a block beyond the head', '/api/v2/shards?seqno=2147483647', 500, /./],
  [
    'a block of an unknown workchain',
    '/api/v2/lookupBlock?workchain=7&shard=-9223372036854775808&seqno=1',
    500,
    /./,
  ],
  ['a block by two names', '/api/v2/lookupBlock?workchain=-1&shard=1&seqno=1&lt=1', 422, /seqno, lt/],
  [
    'a transaction that nobody knows',
    `/api/v2/tryLocateTx?source=${friendly}&destination=${raw}&created_lt=1`,
    404,
    /not found/,
  ],
  ['more rows than the index gives', '/api/v3/transactions?limit=1001', 422, /limit/],
  ['an account that is none among some', `/api/v3/transactions?account=${raw}&account=x`, 422, /account/],
  ['a direction that does not exist', '/api/v3/messages?direction=up', 422, /direction/],
]

const ofPaths: readonly Row[] = [
  ['a method that does not exist', '/api/v2/getWeather', 404, /./],
  ['a method in other letters', '/api/v2/getconfigparam?config_id=15', 404, /./],
  ['a path that does not exist', '/api/v3/jetton/rain', 404, /./],
  ['a family that does not exist', '/api/v4/jetton/burns', 404, /./],
  ['a path with an encoded slash', `/api/v3/jetton%2Fburns?address=${friendly}`, 404, /./],
  ['no family', '/api', 404, /./],
  ['GET of what is called', '/api/v2/jsonRPC', 405, /./],
  ['GET of what is sent', '/api/v2/sendBoc?boc=te6c', 405, /./],
  ['POST of what is read', burns, 405, /./, post('{}')],
  ['DELETE', burns, 405, /./, { method: 'DELETE' }],
]

const rpc = (members: string) => `{"jsonrpc":"2.0","id":1,"method":"getConfigParam",${members}}`
const config = (params: string) => rpc(`"params":${params}`)
const ofCalls = (
  [
    ['nothing', '', /JSON/],
    ['half a call', rpc('"params"').slice(0, 30), /JSON/],
    ['two calls in a row', config('{}') + config('{}'), /JSON/],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), /UTF-8/],
    ['null', 'null', /object/],
    ['a text', '"getConfigParam"', /object/],
    ['a batch', `[${config('{"config_id":15}')}]`, /batch/],
    ['an empty batch', '[]', /batch/],
    ['params that are an array', config('[15]'), /params/],
    ['params that are a text', config('"15"'), /params/],
    ['params that are null', config('null'), /config_id/],
    ['params that are a number', config('15'), /params/],
    ['no params where one is required', '{"jsonrpc":"2.0","id":1,"method":"getConfigParam"}', /config_id/],
    ['a parameter that is an object', config('{"config_id":{}}'), /config_id/],
    ['no id', '{"jsonrpc":"2.0","method":"getConfigParam","params":{"config_id":15}}', /id/],
    ['an id that is null', config('{"config_id":15}').replace('1,', 'null,'), /id/],
    ['an id that is no integer', config('{"config_id":15}').replace('1,', '1.5,'), /id/],
    ['an id that is an object', config('{"config_id":15}').replace('1,', '{},'), /id/],
    ['another version', config('{"config_id":15}').replace('2.0', '1.0'), /jsonrpc/],
    ['no method', '{"jsonrpc":"2.0","id":1,"params":{}}', /method/],
    ['a method that is a number', '{"jsonrpc":"2.0","id":1,"method":1,"params":{}}', /method/],
    ['a method that does not exist', '{"jsonrpc":"2.0","id":1,"method":"getWeather","params":{}}', /method/],
    ['a method that every object has', '{"jsonrpc":"2.0","id":1,"method":"toString","params":{}}', /method/],
    ['a path for a method', '{"jsonrpc":"2.0","id":1,"method":"../v3/blocks","params":{}}', /method/],
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
const wide = Array.from({ length: 600 }, (_, index) => Buffer.alloc(120, `${index} `)).reduce(
  (next, bytes) => beginCell().storeBuffer(bytes).storeRef(next).endCell(),
  Cell.EMPTY,
)
const method = (members: string) => `{"address":"${friendly}","method":"seqno","stack":[]${members}}`
const ofBodies: readonly Row[] = [
  ['a message that is missing', '/api/v2/sendBoc', 422, /boc/, post('{}')],
  ['a message that is a number', '/api/v2/sendBoc', 422, /boc/, post('{"boc":1}')],
  ['a message that is no base64', '/api/v2/sendBoc', 422, /boc/, post('{"boc":"@@@"}')],
  ['a message that is no bag of cells', '/api/v2/sendBoc', 422, /boc/, post('{"boc":"AAAA"}')],
  ['a bag of cells that breaks off', '/api/v2/sendBoc', 422, /boc/, post('{"boc":"te6cckEBAQEAEgAA"}')],
  ['a cell that is no message', '/api/v2/sendBoc', 500, /ext_in_msg_info/, post(boc(Cell.EMPTY))],
  ['a message that is too deep', '/api/v2/sendBoc', 500, /too deep/, post(boc(message(deep)))],
  ['a message that is too large', '/api/v2/sendBoc', 500, /too large/, post(boc(message(wide)))],
  ['a message to nobody', '/api/v2/sendBoc', 500, /./, post(boc(message(Cell.EMPTY)))],
  [
    'a message to nobody, whose failure is no error',
    '/api/v2/sendBocReturnHashNoError',
    400,
    /./,
    post(boc(message(Cell.EMPTY))),
  ],
  ['a message to nobody through the index', '/api/v3/message', 500, /./, post(boc(message(Cell.EMPTY)))],
  ['a message that is missing, to the index', '/api/v3/message', 422, /boc/, post('{}')],
  [
    'a body that is longer than the service reads',
    '/api/v2/sendBoc',
    413,
    /./,
    post(JSON.stringify({ boc: 'A'.repeat(maxBodyBytes) })),
  ],
  [
    'a call that is longer than the service reads',
    '/api/v2/jsonRPC',
    413,
    /./,
    post(config(`{"config_id":15}${' '.repeat(maxBodyBytes)}`)),
  ],
  [
    'a get method with something else on the stack',
    '/api/v2/runGetMethod',
    422,
    /stack/,
    post(method(',"stack":[1]')),
  ],
  ['a get method of a word for a stack', '/api/v2/runGetMethod', 422, /stack/, post(method(',"stack":"x"'))],
  [
    'a get method with what no node takes',
    '/api/v2/runGetMethod',
    422,
    /stack/,
    post(method(',"stack":[["tvm.Builder","x"]]')),
  ],
  ['a read whose body is a list', '/api/v2/getAddressBalance', 422, /object/, post('[]')],
]

// Accounts of a kind other than the operation expects. Those of the sample jetton are read from the chain.
const ofOthers = [
  ['a wallet that is a jetton', 'v3/walletInformation', 'master', /not a wallet/],
  ['a jetton that is a wallet', 'v2/getTokenData', 'wallet', /./],
] as const

const rows = [...ofAddresses, ...ofQueries, ...ofPaths, ...ofCalls, ...ofBodies]
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

describe('the jetton chain API answers with a status and a reason', () => {
  it.each(ofOthers)('%s', async (_, path, account, error) => {
    const answer = await jetton.call(`/api/${path}?address=${example[account]}`)
    expect(answer.status).toBe(409)
    expect(await answer.json()).toEqual({
      ok: false,
      error: expect.stringMatching(error) as string,
      code: 409,
    })
  })

  it.each(cases)('$name', async ({ path, status, error, init }) => {
    const answer = await jetton.call(path, init)
    const text = await answer.text()
    expect({ status: answer.status, body: JSON.parse(text) as unknown }).toEqual({
      status,
      body: expect.objectContaining({
        ok: false,
        error: expect.stringMatching(error) as string,
        code: status,
      }),
    })
    expect(answer.headers.get('content-type')).toContain('application/json')
    expect(text).not.toContain(node.token)
    if (status === 405) expect(answer.headers.get('allow')).toMatch(/GET|POST/)
    if (path === '/api/v2/jsonRPC' && status !== 405) {
      expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0', id: /"id":1,/.test(text) ? 1 : null })
    }
  })
})
