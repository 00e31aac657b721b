import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { inspect } from 'node:util'
import { collectGarbage } from '@fairlead/vitest/collect-garbage'
import { fakeTimeouts } from '@fairlead/vitest/started-timers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  type BeaconClient,
  createBeaconClient,
  failover,
  FairleadError,
  type ForkChoiceNode,
  streamData,
  streamForkChoice,
  streamSsz,
  streamState,
} from '../index.ts'
import {
  type RequestHandler,
  unusedUrl,
  type HttpServer,
  sendJson,
  startHttpServer,
} from '@fairlead/vitest/http-server'

const auth = { kind: 'token', token: 's3cr3t' } as const
const servers: HttpServer[] = []

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

async function served(
  handler: RequestHandler,
  timeoutMs = 5_000,
): Promise<{ beacon: BeaconClient; server: HttpServer }> {
  const server = await startHttpServer(handler)
  servers.push(server)
  return { beacon: createBeaconClient({ url: server.url, auth, timeoutMs, retries: 0 }), server }
}

const root = (number: number): string => `0x${number.toString(16).padStart(64, '0')}`
const nodeAt = (slot: number): ForkChoiceNode => ({
  slot: String(slot),
  block_root: root(slot),
  parent_root: root(slot - 1),
  justified_epoch: '1',
  finalized_epoch: '0',
  weight: '32000000000',
  validity: 'valid',
  execution_block_hash: root(slot + 1_000_000),
  extra_data: { best_child: null },
})
const checkpoints = {
  justified_checkpoint: { epoch: '1', root: root(1) },
  finalized_checkpoint: { epoch: '0', root: root(0) },
}
const forkChoice = (count: number) => ({
  ...checkpoints,
  fork_choice_nodes: Array.from({ length: count }, (_, index) => nodeAt(index + 1)),
  extra_data: { proposer_boost_root: root(7) },
})

/** Sends chunks as fast as they are read. */
const inOrder =
  (pieces: () => Iterable<string | Buffer>, type = 'application/json'): RequestHandler =>
  async (_, response) => {
    response.writeHead(200, { 'content-type': type })
    // The reader may disconnect.
    await pipeline(Readable.from(pieces()), response).catch(() => {})
  }

const inPieces = (text: string, size: number, type?: string): RequestHandler =>
  inOrder(function* () {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }, type)

async function failure(items: AsyncIterable<unknown>): Promise<{ error: FairleadError; count: number }> {
  let count = 0
  try {
    for await (const _ of items) count += 1
  } catch (error) {
    expect(FairleadError.is(error)).toBe(true)
    expect(inspect(error, { depth: null, showHidden: true })).not.toContain('s3cr3t')
    return { error: error as FairleadError, count }
  }
  return expect.unreachable()
}

describe('streamForkChoice', () => {
  it.each([13, 1_000, 1_000_000])(
    'yields every node and then the full context, in chunks of %i bytes',
    async (size) => {
      const complete = forkChoice(300)
      const { beacon } = await served(inPieces(JSON.stringify(complete), size))
      const stream = streamForkChoice(beacon)
      const nodes: ForkChoiceNode[] = []
      for await (const node of stream) {
        if (nodes.length === 0) expect(stream.context).toMatchObject(checkpoints)
        nodes.push(node)
      }
      expect({ ...stream.context, fork_choice_nodes: nodes }).toEqual(complete)
    },
  )

  it('accepts fields that the specification does not define', async () => {
    const { beacon } = await served((_, response) =>
      sendJson(response, {
        ...forkChoice(1),
        newer: [1, 2],
        fork_choice_nodes: [{ ...nodeAt(1), newer: {} }],
      }),
    )
    const stream = streamForkChoice(beacon)
    for await (const node of stream) expect(node).toEqual({ ...nodeAt(1), newer: {} })
    expect(stream.context).toMatchObject({ newer: [1, 2] })
  })

  it('uses a few megabytes of memory for a response of any size', async () => {
    const nodes = Array.from({ length: 100 }, (_, index) => JSON.stringify(nodeAt(index))).join(',')
    const times = 1_300
    const { beacon } = await served(
      inOrder(function* () {
        yield `${JSON.stringify(checkpoints).slice(0, -1)},"fork_choice_nodes":[`
        for (let time = 0; time < times; time++) yield time > 0 ? `,${nodes}` : nodes
        yield ']}'
      }),
    )
    const held: number[] = []
    let count = 0
    for await (const _ of streamForkChoice(beacon)) {
      if (count++ % 10_000 !== 100) continue
      collectGarbage()
      held.push(process.memoryUsage().heapUsed)
    }
    expect(count).toBe(times * 100)
    expect(times * nodes.length).toBeGreaterThan(50_000_000)
    expect(Math.max(...held) - Math.min(...held)).toBeLessThan(8_000_000)
  })

  it.each<[string, RequestHandler, string]>([
    ['404', (_, response) => sendJson(response, { code: 404, message: 'no s3cr3t' }, 404), 'HTTP_STATUS'],
    ['another format', inPieces('<html>', 10, 'text/html'), 'DECODE_INVALID'],
    ['no list', (_, response) => sendJson(response, checkpoints), 'DECODE_INVALID'],
    [
      'null instead of a list',
      (_, response) => sendJson(response, { fork_choice_nodes: null }),
      'DECODE_INVALID',
    ],
    ['no JSON', inPieces('{"fork_choice_nodes":[s3cr3t', 10), 'DECODE_INVALID'],
    ['a truncated response', inPieces(JSON.stringify(forkChoice(10)).slice(0, -5), 100), 'DECODE_INVALID'],
  ])('fails with an error for %s', async (_, handler, code) => {
    const { beacon } = await served(handler)
    expect((await failure(streamForkChoice(beacon))).error.code).toBe(code)
  })

  it('fails when the connection breaks in the middle, after the received items', async () => {
    const text = JSON.stringify(forkChoice(100))
    let abortResponse = () => {}
    const { beacon } = await served((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(text.length) })
      response.write(text.slice(0, text.length / 2))
      abortResponse = () => void response.destroy()
    })
    async function* breakingStream() {
      let nodes = 0
      for await (const node of streamForkChoice(beacon)) {
        if (++nodes === 41) abortResponse()
        yield node
      }
    }
    const { error, count } = await failure(breakingStream())
    expect(error.code).toBe('TRANSPORT_FAILED')
    expect(count).toBeGreaterThan(40)
  })

  it('applies its timeout to each chunk, not to the full response', async () => {
    const pieces = JSON.stringify(forkChoice(6)).match(/.{1,200}/g) ?? []
    expect(pieces.length).toBeGreaterThan(10)
    const timersStarted = fakeTimeouts()
    const { beacon } = await served(async (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
      // Each received piece starts the next wait.
      for (const [index, piece] of pieces.entries()) {
        await timersStarted(10_000, index + 1)
        vi.advanceTimersByTime(9_000)
        response.write(piece)
      }
      response.end()
    }, 10_000)
    let count = 0
    for await (const _ of streamForkChoice(beacon)) count += 1
    expect(count).toBe(6)
  })

  it.each<[string, RequestHandler]>([
    ['before the headers', () => {}],
    [
      'in the middle',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).write('{"fork_choice_nodes":[')
      },
    ],
  ])('times out on an inactive node %s', async (_, handler) => {
    const { beacon } = await served(handler, 200)
    expect((await failure(streamForkChoice(beacon))).error.code).toBe('TRANSPORT_TIMEOUT')
  })

  it('throws the reason of the signal and releases the connection', async () => {
    const { beacon, server } = await served((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write(`{"fork_choice_nodes":[${JSON.stringify(nodeAt(1))},{`)
    })
    const controller = new AbortController()
    const reason = new Error('enough')
    const read = async () => {
      for await (const _ of streamForkChoice(beacon, { signal: controller.signal })) {
        setImmediate(() => controller.abort(reason))
      }
    }
    await expect(read()).rejects.toBe(reason)
    await expect.poll(() => server.connections()).toBe(0)
  })

  it('releases the connection when the reader stops', async () => {
    const { beacon, server } = await served(inPieces(JSON.stringify(forkChoice(100_000)), 100_000))
    for await (const _ of streamForkChoice(beacon)) break
    await expect.poll(() => server.connections()).toBe(0)
  })

  it('uses the node that responds, and places a node that breaks the connection last', async () => {
    const breaking = await startHttpServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{"fork_choice_nodes":[', () => void response.destroy())
    })
    const healthyServer = await startHttpServer((_, response) => sendJson(response, forkChoice(2)))
    servers.push(breaking, healthyServer)
    const urls = [unusedUrl(), breaking.url, healthyServer.url]
    const beacon = createBeaconClient({ transport: failover(urls.map((url) => ({ url, auth }))) })
    expect((await failure(streamForkChoice(beacon))).error.code).toBe('TRANSPORT_FAILED')
    let count = 0
    for await (const _ of streamForkChoice(beacon)) count += 1
    expect(count).toBe(2)
  })
})

describe('streamState', () => {
  const state = {
    version: 'phase0',
    execution_optimistic: false,
    finalized: true,
    data: {
      slot: '1',
      validators: [{ pubkey: '0x1' }, { pubkey: '0x2' }],
      balances: ['1', '2'],
      slashings: ['0'],
    },
  }

  it('yields the requested lists, and the other fields without lists', async () => {
    const { beacon, server } = await served(inPieces(JSON.stringify(state), 20))
    const stream = streamState(beacon, { state_id: 'head', lists: ['validators', 'balances'] })
    const received: unknown[] = []
    for await (const { list, item } of stream) received.push([list, item])
    expect(received).toEqual([
      ['validators', { pubkey: '0x1' }],
      ['validators', { pubkey: '0x2' }],
      ['balances', '1'],
      ['balances', '2'],
    ])
    const data = { slot: '1', validators: [], balances: [], slashings: [] }
    expect(stream.context).toEqual({ ...state, data })
    expect(server.requests[0]?.url).toBe('/beacon/s3cr3t/eth/v2/debug/beacon/states/head')
  })
})

describe('streamData', () => {
  it('yields the items and the other fields, also from a node that omits them', async () => {
    const { beacon, server } = await served((_, response) => sendJson(response, { data: [{ index: '1' }] }))
    const params = { path: { state_id: 'head' }, query: { id: ['1', '2'] } }
    const stream = streamData(beacon, '/eth/v1/beacon/states/{state_id}/validators', { params })
    for await (const validator of stream) expect(validator.index).toBe('1')
    expect(stream.context.finalized).toBeUndefined()
    expect(server.requests[0]?.url).toMatch(/states\/head\/validators\?id=1&id=2$/)
  })
})

describe('streamSsz', () => {
  it('streams bytes, with the fields of the headers', async () => {
    const { beacon, server } = await served((_, response) => {
      const headers = { 'content-type': 'application/octet-stream', 'eth-consensus-version': 'fulu' }
      response.writeHead(200, headers).end(Buffer.from([1, 2, 3]))
    })
    const params = { path: { state_id: 'head' } }
    const { stream, version } = await streamSsz(beacon, '/eth/v2/debug/beacon/states/{state_id}', { params })
    expect(version).toBe('fulu')
    expect(new Uint8Array(await new Response(stream).arrayBuffer())).toEqual(new Uint8Array([1, 2, 3]))
    expect(server.requests[0]?.headers.accept).toBe('application/octet-stream')
  })

  it('rejects an invalid timeout before anything is sent', async () => {
    const { beacon, server } = await served(() => {})
    const init = { params: { path: { state_id: 'head' } }, idleMs: -1 }
    await expect(streamSsz(beacon, '/eth/v2/debug/beacon/states/{state_id}', init)).rejects.toThrow('idleMs')
    expect(server.requests).toHaveLength(0)
  })
})
