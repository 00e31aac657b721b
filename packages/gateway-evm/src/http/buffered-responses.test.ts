import { once } from 'node:events'
import { connect } from 'node:net'
import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import { inFrontOf, token } from '../testing/listener-fixture.ts'
import { responseWithCallId, withCallId } from '@fairlead/gateway-core/testing/with-call-id'

const megabyte = 2 ** 20
const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'eth_chainId', params: [] })
const twoCalls = JSON.stringify([call(1), call(2)])
const oneCall = JSON.stringify([call(1)])

/** Starts a gateway that has memory for one response of its upstream, but not for two. */
async function listener() {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result: 'x'.repeat(0.6 * megabyte) })
  const node = await startTestNode(async (request, response) => {
    const body = await responseWithCallId(request, text)
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  })
  return inFrontOf(node, { maxBufferedBytes: 2.2 * megabyte })
}

interface RpcReply {
  readonly result?: string
  readonly error?: { readonly code: number; readonly message: string }
}

const codesOf = (responses: readonly RpcReply[]) =>
  responses.map(({ error }) => error?.code ?? 0).toSorted((a, b) => a - b)

describe('buffered responses', () => {
  it('never exceed the memory budget, and release it when they are sent over HTTP', async () => {
    const { url } = await listener()
    const post = async (body: string): Promise<RpcReply[]> =>
      (await (await fetch(`${url}/${token}`, { method: 'POST', body })).json()) as RpcReply[]
    for (let round = 0; round < 5; round++) {
      expect(codesOf(await post(twoCalls))).toEqual([-32_005, 0])
      expect(codesOf(await post(oneCall))).toEqual([0])
    }
  })

  it('release their memory when the client disconnects', async () => {
    const { url, port } = await listener()
    for (let round = 0; round < 5; round++) {
      const socket = connect(port, '127.0.0.1')
      await once(socket, 'connect')
      socket.write(
        `POST /${token} HTTP/1.1\r\nhost: x\r\ncontent-length: ${twoCalls.length}\r\n\r\n${twoCalls}`,
      )
      if (round % 2 === 0) await once(socket, 'data')
      socket.destroy()
    }
    const works = async () => {
      const response = await fetch(`${url}/${token}`, { method: 'POST', body: oneCall })
      return codesOf((await response.json()) as RpcReply[])
    }
    await expect.poll(works).toEqual([0])
  })

  it('release their memory when they are sent over a WebSocket', async () => {
    const { port } = await listener()
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/${token}`)
    await once(socket, 'open')
    const send = async (body: string): Promise<RpcReply[]> => {
      socket.send(body)
      const [data] = (await once(socket, 'message')) as [Buffer]
      return JSON.parse(data.toString()) as RpcReply[]
    }
    for (let round = 0; round < 5; round++) {
      expect(codesOf(await send(twoCalls))).toEqual([-32_005, 0])
      await expect.poll(async () => codesOf(await send(oneCall))).toEqual([0])
    }
    socket.close()
  })
})

describe('a response of several upstreams', () => {
  const chunked = { ...call(1), method: 'eth_gasPrice' }

  /** Starts an upstream that sends one text in chunks. */
  const chunkedNode = (text: string) =>
    startTestNode(async (request, response: ServerResponse) => {
      let body = ''
      for await (const chunk of request) body += String(chunk)
      const { method, id } = JSON.parse(body) as { method: string; id: number }
      response.writeHead(200, { 'content-type': 'application/json' })
      const sent =
        method === chunked.method
          ? withCallId(body, text)
          : JSON.stringify({ jsonrpc: '2.0', id, result: '0x1' })
      for (let at = 0; at < sent.length; at += 10_000) response.write(sent.slice(at, at + 10_000))
      response.end()
    })

  it.each([1_000, 65_400, 65_536, 65_700, 3_000_000])(
    'arrives unchanged when it is sent in chunks and its result has %i characters',
    async (length) => {
      const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result: 'x'.repeat(length) })
      const { url } = await inFrontOf(`${await chunkedNode(text)} ${await chunkedNode(text)}`)
      const response = await fetch(`${url}/${token}`, { method: 'POST', body: JSON.stringify(chunked) })
      expect(await response.text()).toBe(text)
    },
  )
})
