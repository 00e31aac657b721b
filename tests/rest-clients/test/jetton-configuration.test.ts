import { Cell, Dictionary } from '@ton/core'
import { expect, inject, it } from 'vitest'
import { jettonAccess } from './jetton/access.ts'

const {
  nodes: [, , node],
} = inject('development')
const jetton = jettonAccess(node)

interface ConfigInfo {
  readonly config: { readonly bytes: string }
}

interface ConfigParam extends ConfigInfo {
  readonly config_id: number
  readonly value: unknown
}

it('returns every configuration parameter, with the same value and cell in every format', async () => {
  const allParameters = await jetton.read<ConfigInfo>('getConfigAll', {})
  const entries = Cell.fromBase64(allParameters.config.bytes)
    .beginParse()
    .loadDictDirect(Dictionary.Keys.Int(32), Dictionary.Values.Cell())
  // Parameters with a negative id are specific to the network, and cannot be requested by id.
  const parameters = [...entries].filter(([id]) => id >= 0)
  expect(parameters.length).toBeGreaterThan(30)
  await Promise.all(
    parameters.map(async ([id, cell]) => {
      const [rest, byPost, rpc] = await Promise.all([
        jetton.call(`/api/v2/getConfigParam?config_id=${id}`),
        jetton.post('/api/v2/getConfigParam', { config_id: id }),
        jetton.rpc('getConfigParam', { config_id: id }),
      ])
      expect([rest.status, byPost.status, rpc.status], `parameter ${id}`).toEqual([200, 200, 200])
      const bare = (await rest.json()) as ConfigParam
      expect(bare).toEqual({ config_id: id, value: expect.any(Object) as object })
      expect(await byPost.json()).toEqual(bare)
      const { result } = (await rpc.json()) as { readonly result: ConfigParam }
      expect(result).toMatchObject({ ...bare, '@type': 'configInfo' })
      expect(Cell.fromBase64(result.config.bytes).hash()).toEqual(cell.hash())
    }),
  )
})

const unknown = { status: 404, error: /123456/ }
// The node reports this itself, with its own message.
const negative = { status: 422, error: /non-negative/ }
const rule = { status: 422, error: /config_id/ }

it.each<[string, { readonly status: number; readonly error: RegExp }]>([
  ['config_id=123456', unknown],
  ['config_id=-1', negative],
  ['config_id=1.5', rule],
  ['config_id=fifteen', rule],
  ['config_id=', rule],
  ['config_id=2147483648', rule],
  ['config_id=15&config_id=16', rule],
  ['', rule],
])('rejects %j', async (query, { status, error }) => {
  const response = await jetton.call(`/api/v2/getConfigParam?${query}`)
  expect(response.status).toBe(status)
  expect(await response.json()).toEqual({
    ok: false,
    error: expect.stringMatching(error) as string,
    code: status,
  })
})

it.each<[object, { readonly status: number; readonly error: RegExp }]>([
  [{ config_id: 123_456 }, unknown],
  [{ config_id: -1 }, negative],
  [{ config_id: 1.5 }, rule],
  [{ config_id: 'fifteen' }, rule],
  [{ config_id: null }, rule],
  [{}, rule],
])('rejects %j by JSON-RPC', async (params, { status, error }) => {
  const response = await jetton.rpc('getConfigParam', params, 'mine')
  expect(response.status).toBe(status)
  expect(await response.json()).toEqual({
    ok: false,
    error: expect.stringMatching(error) as string,
    code: status,
    jsonrpc: '2.0',
    id: 'mine',
  })
})
