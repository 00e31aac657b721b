import { afterEach, describe, expect, it } from 'vitest'
import {
  type BeaconClient,
  createBeaconClient,
  failover,
  FairleadError,
  getSsz,
  postSsz,
  queryForSsz,
  splitLightClientUpdates,
} from '../index.ts'
import { type RequestHandler, type HttpServer, sendJson, startHttpServer } from '@fairlead/vitest/http-server'

const auth = { kind: 'token', token: 's3cr3t' } as const
const servers: HttpServer[] = []

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

async function served(
  ...handlers: RequestHandler[]
): Promise<{ beacon: BeaconClient; servers: HttpServer[] }> {
  const started = await Promise.all(handlers.map((handler) => startHttpServer(handler)))
  servers.push(...started)
  const [only] = started
  const nodes = started.map(({ url }) => ({ url, auth }))
  const several = started.length > 1 || !only
  const options = several ? { transport: failover(nodes) } : { url: only.url, auth, retries: 0 }
  return { beacon: createBeaconClient(options), servers: started }
}

const octets =
  (bytes: readonly number[], headers: Record<string, string> = {}): RequestHandler =>
  (_, response) =>
    void response
      .writeHead(200, { 'content-type': 'application/octet-stream', ...headers })
      .end(Buffer.from(bytes))

const blockPath = '/eth/v2/beacon/blocks/{block_id}'
const params = { path: { block_id: 'head' } }

describe('getSsz', () => {
  it('returns the bytes, and the headers by their JSON names', async () => {
    const {
      beacon,
      servers: [server],
    } = await served(
      octets([1, 2], {
        'Eth-Consensus-Version': 'fulu',
        'Eth-Execution-Optimistic': 'false',
        'Eth-Consensus-Finalized': 'true',
      }),
    )
    expect(await getSsz(beacon, blockPath, { params })).toEqual({
      bytes: new Uint8Array([1, 2]),
      version: 'fulu',
      execution_optimistic: false,
      finalized: true,
    })
    expect(server?.requests[0]?.headers.accept).toBe('application/octet-stream')
    expect(server?.requests[0]?.url).toBe('/beacon/s3cr3t/eth/v2/beacon/blocks/head')
  })

  it('reads the metadata of a produced block', async () => {
    const { beacon } = await served(
      octets([1], {
        'Eth-Consensus-Version': 'electra',
        'Eth-Execution-Payload-Blinded': 'True',
        'Eth-Execution-Payload-Value': '12345678901234567890',
        'Eth-Consensus-Block-Value': '1',
      }),
    )
    const query = { randao_reveal: '0x00' }
    const response = await getSsz(beacon, '/eth/v3/validator/blocks/{slot}', {
      params: { path: { slot: '1' }, query },
    })
    expect(response).toMatchObject({
      execution_payload_blinded: true,
      execution_payload_value: '12345678901234567890',
      consensus_block_value: '1',
    })
  })

  it('treats a response without bytes as an empty list', async () => {
    const { beacon } = await served(octets([]))
    const path = '/eth/v1/beacon/states/{state_id}/pending_deposits'
    expect((await getSsz(beacon, path, { params: { path: { state_id: 'head' } } })).bytes).toHaveLength(0)
  })

  it.each<[string, RequestHandler, string]>([
    [
      'a node without SSZ (406)',
      (_, response) => sendJson(response, { code: 406, message: 'no' }, 406),
      'HTTP_STATUS',
    ],
    ['JSON all the same', (_, response) => sendJson(response, { data: {} }), 'DECODE_INVALID'],
    [
      'an unknown block',
      (_, response) => sendJson(response, { code: 404, message: 'no' }, 404),
      'HTTP_STATUS',
    ],
  ])('throws for %s', async (_, handler, code) => {
    const { beacon } = await served(handler)
    const error: unknown = await getSsz(beacon, blockPath, { params }).catch((reason: unknown) => reason)
    expect(FairleadError.is(error) && error.code).toBe(code)
  })
})

it('queryForSsz sends a list and returns bytes', async () => {
  const {
    beacon,
    servers: [server],
  } = await served(octets([7]))
  const path = '/eth/v1/beacon/states/{state_id}/validator_balances'
  const { bytes } = await queryForSsz(beacon, path, { params: { path: { state_id: 'head' } }, body: ['1'] })
  expect(bytes).toEqual(new Uint8Array([7]))
  expect(server?.requests[0]).toMatchObject({ method: 'POST' })
  expect(server?.requests[0]?.headers['content-type']).toBe('application/json')
  expect(server?.requests[0]?.body.toString()).toBe('["1"]')
})

describe('postSsz', () => {
  const path = '/eth/v2/beacon/blocks'
  const ok: RequestHandler = (_, response) => void response.writeHead(200).end()
  const jsonOnly: RequestHandler = (request, response) => {
    if (request.headers['content-type'] === 'application/json') response.writeHead(202).end()
    else sendJson(response, { code: 415, message: 'no' }, 415)
  }
  const block = () => ({ signed_block: {} }) as never
  const ssz = new Uint8Array([1, 2, 3])

  it('sends the bytes with their fork', async () => {
    const {
      beacon,
      servers: [server],
    } = await served(ok)
    const response = await postSsz(beacon, path, {
      version: 'fulu',
      ssz,
      json: () => expect.unreachable(),
      params: { query: { broadcast_validation: 'consensus' } },
    })
    expect(response.status).toBe(200)
    const [request] = server?.requests ?? []
    expect(request?.url).toBe('/beacon/s3cr3t/eth/v2/beacon/blocks?broadcast_validation=consensus')
    expect(request?.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'eth-consensus-version': 'fulu',
    })
    expect(request?.body).toEqual(Buffer.from(ssz))
  })

  it('sends JSON to a node that does not support SSZ, also in later calls of this node and operation', async () => {
    const {
      beacon,
      servers: [server],
    } = await served(jsonOnly)
    const post = () => postSsz(beacon, path, { version: 'fulu', ssz, json: block })
    expect((await post()).status).toBe(202)
    expect((await post()).status).toBe(202)
    await postSsz(beacon, '/eth/v1/validator/register_validator', { ssz, json: () => [] })
    const types = server?.requests.map(({ headers }) => headers['content-type'])
    const [octetStream, json] = ['application/octet-stream', 'application/json']
    expect(types).toEqual([octetStream, json, json, octetStream, json])
    expect(server?.requests[1]?.headers['eth-consensus-version']).toBe('fulu')
    expect(server?.requests[1]?.body.toString()).toBe('{"signed_block":{}}')
  })

  it('throws the error of the node, and that of the json function', async () => {
    const { beacon } = await served((_, response) =>
      sendJson(response, { code: 400, message: 'bad block' }, 400),
    )
    await expect(postSsz(beacon, path, { version: 'fulu', ssz, json: block })).rejects.toThrow('bad block')
    const error = new FairleadError('CONFIG_INVALID', { option: 'block', rule: 'must be there' })
    const { beacon: secondClient } = await served(jsonOnly, jsonOnly)
    const json = () => {
      throw error
    }
    await expect(postSsz(secondClient, path, { version: 'fulu', ssz, json })).rejects.toBe(error)
  })
})

describe('splitLightClientUpdates', () => {
  const framed = (digest: readonly number[], update: readonly number[]): number[] => [
    4 + update.length,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    ...digest,
    ...update,
  ]

  it('finds every update', () => {
    const bytes = new Uint8Array([
      9,
      ...framed([1, 2, 3, 255], [5, 6]),
      ...framed([0, 0, 0, 1], []),
    ]).subarray(1)
    expect(splitLightClientUpdates(bytes)).toEqual([
      { fork_digest: '0x010203ff', bytes: new Uint8Array([5, 6]) },
      { fork_digest: '0x00000001', bytes: new Uint8Array() },
    ])
    expect(splitLightClientUpdates(new Uint8Array())).toEqual([])
  })

  it.each([
    [[1]],
    [framed([1, 2, 3, 4], [5, 6]).slice(0, -1)],
    [[3, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]],
    [[255, 255, 255, 255, 255, 255, 255, 255, 1, 2, 3, 4]],
  ])('rejects %j', (bytes) => {
    expect(() => splitLightClientUpdates(new Uint8Array(bytes))).toThrow('DECODE_INVALID')
  })
})
