import { expect, it } from 'vitest'
import { waitFor } from '@fairlead/vitest/wait-for'
import {
  connectionsTo,
  plain,
  post,
  type ScriptedRequest,
  scriptedUpstream,
} from '../testing/scripted-upstream.ts'
import { Http1Error } from './http1-error.ts'
import type { Http1Call, ResponseCheck } from './types.ts'

const mismatched = () => new Http1Error('mismatched', 'The response belongs to another call.')

/** Rejects a body that does not begin with the body of its call, and one without a call unless it is alone. */
class BodyCheck implements ResponseCheck {
  readonly #expected: string
  #isAlone = false
  #hasBegun = false

  constructor(expected: string) {
    this.#expected = expected
  }

  begin(_status: number, isAlone: boolean): void {
    this.#isAlone = isAlone
    this.#hasBegun = false
  }

  onBody(latin1: string): void {
    const isOwn = latin1 === 'no call' ? this.#isAlone : latin1.startsWith(this.#expected)
    if (!isOwn) throw mismatched()
  }

  onPart(bytes: Uint8Array): void {
    if (this.#hasBegun) return
    this.#hasBegun = true
    this.onBody(Buffer.from(bytes).toString('latin1'))
  }
}

function checked(body: string, options: Partial<Http1Call> = {}): Http1Call {
  const check = new BodyCheck(`${body};`)
  return post(body, { latencyClass: 'short', isBuffered: true, check, ...options })
}

const own = ({ body }: ScriptedRequest) => plain(`${body};`)
const inChunks = (body: string) =>
  `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
const long = ({ body }: ScriptedRequest) => plain(`${body};${'x'.repeat(100_000)}`)

it.each<[string, (request: ScriptedRequest) => string]>([
  ['a surplus response', (request) => own(request) + plain('no call')],
  ['a repeated response', (request) => own(request) + own(request)],
  ['the response to another call', () => plain('other;')],
  ['the response to another call in chunks', () => inChunks('other;')],
  ['the long response to another call', () => plain(`other;${'x'.repeat(100_000)}`)],
  ['the long response to another call in chunks', () => inChunks(`other;${'x'.repeat(100_000)}`)],
  ['a response without a call', () => plain('no call')],
])('%s reaches no caller, and all calls are repeated', async (_, faultOf) => {
  for (const faulty of [1, 3, 8]) {
    const { url } = await scriptedUpstream((request) =>
      request.socket.write(
        request.connection === 1 && request.sequence === faulty ? faultOf(request) : own(request),
      ),
    )
    const connections = connectionsTo(url, { maxConnections: 1 })
    const calls = Array.from({ length: 16 }, (__, index) => connections.request(checked(`${index}`)))
    const bodies = (await Promise.all(calls)).map(({ bytes }) => bytes?.toString())
    expect(bodies).toEqual(Array.from({ length: 16 }, (__, index) => `${index};`))
    expect(connections.mismatchedResponses).toBe(1)
  }
})

it('a call that is not repeatable fails', async () => {
  const { url, requests } = await scriptedUpstream(({ socket }) => socket.write(plain('other;')))
  const connections = connectionsTo(url)
  await expect(connections.request(checked('a', { isRepeatable: false }))).rejects.toMatchObject({
    kind: 'mismatched',
  })
  expect(requests).toHaveLength(1)
})

it('a call fails when the repeated one gets the response of another call too', async () => {
  const { url, requests } = await scriptedUpstream(({ socket }) => socket.write(plain('other;')))
  const connections = connectionsTo(url)
  await expect(connections.request(checked('a'))).rejects.toMatchObject({ kind: 'mismatched' })
  expect(requests).toHaveLength(2)
})

it('a response without a call is accepted on a connection without another call', async () => {
  const { url, requests } = await scriptedUpstream(({ socket }) => socket.write(plain('no call')))
  const connections = connectionsTo(url)
  const response = await connections.request(checked('a'))
  expect(response.bytes?.toString()).toBe('no call')
  expect(requests).toHaveLength(1)
})

it('a long response is checked before its first byte', async () => {
  const { url } = await scriptedUpstream((request) => {
    const text = long(request)
    request.socket.write(text.slice(0, text.indexOf(';')))
    setImmediate(() => request.socket.write(text.slice(text.indexOf(';'))))
  })
  const connections = connectionsTo(url)
  const response = await connections.request(checked('a'))
  let length = 0
  for await (const chunk of response.body) length += (chunk as Buffer).length
  expect(length).toBe(100_002)
})

it('surplus bytes on an idle connection close it before the next request', async () => {
  const { url, requests, sockets } = await scriptedUpstream((request) => {
    request.socket.write(own(request))
    if (request.connection === 1) setImmediate(() => request.socket.write(plain('no call')))
  })
  const connections = connectionsTo(url)
  await connections.request(checked('a'))
  await waitFor(() => sockets.size === 0)
  expect((await connections.request(checked('b'))).bytes?.toString()).toBe('b;')
  expect(requests.map(({ connection }) => connection)).toEqual([1, 2])
  expect(connections.mismatchedResponses).toBe(1)
})
