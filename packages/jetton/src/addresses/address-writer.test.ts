import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addressForm, type AddressWriter, addressWriter } from '../address.ts'
import { type HttpServer, sendJson, startHttpServer } from '@fairlead/vitest/http-server'
import { createJettonV2Client, unwrap } from '../v2.ts'
import { createJettonV3Client } from '../v3.ts'

const raw = '0:7B34CFF14F5FCD3546F0A4CC71AFBB4797A9CFA52423BCC3791637BF9F0D7EBD'
const forms = {
  raw,
  bounceable: addressForm(raw, 'bounceable'),
  'non-bounceable': addressForm(raw, 'non-bounceable'),
} as const

const accountAddress = (text: string) => ({ '@type': 'accountAddress', account_address: text })
const hash = 'cJtVvT2g9ag4ElvQ7iDFv918q6FzkS1CgcroFreaIBs='

// An account in each form that a response can contain, and texts that only look like an address.
const message = (text: string) => ({
  '@type': 'ext.message',
  source: '',
  destination: text,
  message: raw,
  body_hash: hash,
})
const transaction = (text: string) => ({
  address: accountAddress(text),
  account: text,
  in_msg: message(text),
  out_msgs: [message(text), message(text)],
})
const transfers = (text: string) => ({
  jetton_transfers: [{ source: text, response_destination: null, jetton_master: text, custom_payload: raw }],
})
const burns = (text: string) => ({
  burns: [{ jetton: { address: text, name: raw }, burner: { address: text }, amount: '1', comment: raw }],
})
const actions = (text: string) => ({
  actions: [
    { type: 'jetton_transfer', details: { asset: text, sender: text, receiver: null, comment: raw } },
    { type: 'vesting_add_whitelist', details: { accounts_added: [text, text], source: text } },
    { type: 'of_tomorrow', details: { error: raw }, raw_action: { source: raw } },
  ],
})
const record = (text: string) => ({
  records: [{ nft_item_address: text, domain: raw, dns_wallet: 'no address' }],
})

// The keys are addresses; the friendly form, which is a result of the operation, stays unchanged.
const book = (text: string) => ({
  accounts: [{ address: text, last_transaction_hash: hash }],
  address_book: { [text]: { user_friendly: forms.bounceable, domain: null, interfaces: ['jetton_master'] } },
  metadata: { [text]: { is_indexed: true, token_info: [{ type: 'jetton_masters', description: raw }] } },
})

let returned: unknown
let node: HttpServer
beforeAll(async () => {
  node = await startHttpServer((_, response) => sendJson(response, returned))
})
afterAll(() => node.close())

const options = (form: keyof typeof forms) => ({
  url: node.url,
  auth: { kind: 'token', token: 't' } as const,
  addresses: addressWriter(form),
})

describe.each(Object.keys(forms) as (keyof typeof forms)[])('every address of a response is %s', (form) => {
  it.each<[string, (text: string) => unknown]>([
    ['/api/v3/jetton/burns', burns],
    ['/api/v3/jetton/transfers', transfers],
    ['/api/v3/actions', actions],
    ['/api/v3/dns/records', record],
    ['/api/v3/accountStates', book],
  ])('in v3: %s', async (path, response) => {
    returned = response(form === 'raw' ? forms.bounceable : raw.toLowerCase())
    const jetton = createJettonV3Client(options(form))
    expect(await unwrap(jetton.GET(path as '/api/v3/masterchainInfo'))).toEqual(response(forms[form]))
  })

  it('in v2, by its path and by JSON-RPC', async () => {
    returned = { ok: true, result: [transaction(form === 'raw' ? forms.bounceable : raw)] }
    const jetton = createJettonV2Client(options(form))
    const expected = [transaction(forms[form])]
    const params = { address: raw }
    expect(await unwrap(jetton.GET('/api/v2/getTransactions', { params: { query: params } }))).toEqual({
      ok: true,
      result: expected,
    })
    expect(await jetton.call({ method: 'getTransactions', params })).toEqual(expected)
  })
})

/** The body after the conversion, for a response that is not read through a client. */
async function convertedBy(
  writer: AddressWriter,
  path: string,
  response: unknown,
  status = 200,
): Promise<unknown> {
  const send = writer(() => Promise.resolve(Response.json(response, { status })))
  return (await send(new Request(`https://node.example.com/t${path}`))).json()
}

it('marks an address of a test network if requested', async () => {
  const testOnly = addressForm(raw, 'bounceable', { testOnly: true })
  expect(testOnly).toMatch(/^k/)
  const writer = addressWriter('bounceable', { testOnly: true })
  expect(await convertedBy(writer, '/api/v3/topAccountsByBalance', [{ account: raw }])).toEqual([
    { account: testOnly },
  ])
})

describe('a response is unchanged', () => {
  const writer = addressWriter('non-bounceable')

  it.each<[string, string, unknown, number?]>([
    ['for an operation that converts an address', '/api/v2/packAddress', { ok: true, result: raw }],
    ['for an operation that converts an address', '/api/v2/unpackAddress', { ok: true, result: raw }],
    ['for an operation that is not in the specification', '/api/v3/tomorrow', { address: raw }],
    ['for an operation that is not in the specification', '/api/v2/constructor', { address: raw }],
    ['where the operation has no addresses', '/api/v2/getConfigParam', { address: raw }],
    [
      'where a mere identifier has the name of an address',
      '/api/v2/dnsResolve',
      { ok: true, result: { entries: [{ entry: { smc_addr: { address: raw.slice(2) } } }] } },
    ],
    ['when it is a failure', '/api/v3/topAccountsByBalance', [{ account: raw }], 500],
  ])('%s: %s', async (_, path, response, status) => {
    expect(await convertedBy(writer, path, response, status)).toEqual(response)
  })
})

it('throws for a response that is not JSON', async () => {
  const fetch: typeof globalThis.fetch = () => Promise.resolve(new Response('x'))
  const call = createJettonV3Client({ ...options('raw'), fetch }).GET('/api/v3/topAccountsByBalance')
  await expect(unwrap(call)).rejects.toMatchObject({ code: 'DECODE_INVALID' })
})

it('rejects an unknown form', () => {
  expect(() => addressWriter('hex' as 'raw')).toThrow('Invalid value of form: ')
})
