import { once } from 'node:events'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  plain,
  type ScriptedUpstream,
  startScriptedUpstream,
} from '@fairlead/http1/testing/scripted-upstream'
import { type GatewayFixture, gatewayFixture } from '../gateway-fixture.ts'

let upstream: ScriptedUpstream
let gateway: GatewayFixture
/** Bytes that follow the next response, and when. */
let surplus: { readonly bytes: string; readonly arrival: Arrival } | undefined
/** Connections on which the surplus bytes were sent. */
const sockets: Socket[] = []
let requests = 0

// A connection that only becomes idle closes later than the tests end.
const idleTimeoutMs = 30_000

const arrivals = ['with the response', 'in the next tick'] as const
type Arrival = (typeof arrivals)[number]

beforeAll(async () => {
  upstream = await startScriptedUpstream(({ socket, head, body }) => {
    const number = /(?:0:0*|blocks\/)(\d+)/.exec(head + body)?.[1]
    // Health checks contain no number.
    const sent = number === undefined ? undefined : surplus
    if (sent) {
      surplus = undefined
      sockets.push(socket)
    }
    const response = plain(responseTo(number ?? '0'), 'Content-Type: application/json\r\n')
    socket.write(sent?.arrival === 'with the response' ? response + sent.bytes : response)
    if (sent?.arrival === 'in the next tick') setImmediate(() => socket.write(sent.bytes))
  })
  const url = upstream.url.href
  gateway = await gatewayFixture({}, url, { beacon: url, jetton: url })
})

afterAll(async () => {
  await gateway.stop()
  upstream.stop()
})

/** A response in the form of every API. */
function responseTo(number: string): string {
  const head = { head_slot: '1', sync_distance: '0', is_syncing: false, is_optimistic: false }
  const content = { ok: true, result: number, balance: number, last: { seqno: 1 } }
  return JSON.stringify({ ...content, data: { ...head, root: number } })
}

const addressOf = (number: number) => `0:${String(number).padStart(64, '0')}`

/** Requests by protocol whose response contains a number. */
const protocols: Readonly<Record<string, (token: string, number: number) => [path: string, body?: object]>> =
  {
    beacon: (token, number) => [`/beacon/${token}/eth/v1/beacon/blocks/${number}/root`],
    'TON v2': (token, number) => [`/${token}/api/v2/getAddressBalance?address=${addressOf(number)}`],
    'TON v2 by JSON-RPC': (token, number) => [
      `/${token}/api/v2/jsonRPC`,
      { jsonrpc: '2.0', id: 1, method: 'getAddressBalance', params: { address: addressOf(number) } },
    ],
    'TON v3': (token, number) => [`/${token}/api/v3/addressInformation?address=${addressOf(number)}`],
  }

/** Makes a request, and returns whether the response is its own. */
async function hasOwnResponse(protocol: string): Promise<boolean> {
  const number = ++requests
  const [path, body] = protocols[protocol]?.(gateway.first.token, number) ?? ['']
  const headers = { 'content-type': 'application/json' }
  const init = body && { method: 'POST', headers, body: JSON.stringify(body) }
  const response = await fetch(`${gateway.url}${path}`, init)
  return (await response.text()).includes(`"${number}"`)
}

const foreign = responseTo('foreign')
const surplusBytes: Readonly<Record<string, string>> = {
  'a response': plain(foreign, 'Content-Type: application/json\r\n'),
  'a response in chunks': `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${foreign.length.toString(16)}\r\n${foreign}\r\n0\r\n\r\n`,
  'two responses': plain(foreign, 'Content-Type: application/json\r\n').repeat(2),
  'an error': 'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n',
  'the first bytes of a response': 'HTTP/1.1 2',
  'an empty line': '\r\n',
  'one byte': 'x',
  'the end of chunks': '0\r\n\r\n',
}

describe.each(Object.keys(protocols))('surplus bytes of an upstream: %s', (protocol) => {
  const table = arrivals.flatMap((arrival) => Object.keys(surplusBytes).map((name) => ({ name, arrival })))
  it.each(table)(
    '$name $arrival: the connection ends and no request receives them',
    { timeout: idleTimeoutMs - 10_000 },
    async ({ name, arrival }) => {
      expect(await hasOwnResponse(protocol)).toBe(true)
      surplus = { bytes: surplusBytes[name] ?? '', arrival }
      const before = sockets.length
      expect(await hasOwnResponse(protocol)).toBe(true)
      const socket = sockets[before] as Socket
      if (!socket.closed) await once(socket, 'close')
      for (let later = 0; later < 3; later += 1) expect(await hasOwnResponse(protocol)).toBe(true)
    },
  )

  it('parallel requests receive their own responses', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, async () => {
        let own = 0
        for (let sent = 0; sent < 25; sent += 1) {
          // Several times, as each response takes it.
          surplus = { bytes: surplusBytes['two responses'] ?? '', arrival: 'with the response' }
          if (await hasOwnResponse(protocol)) own += 1
        }
        return own
      }),
    )
    expect(outcomes).toEqual(Array.from({ length: 8 }, () => 25))
  })
})
