import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { describe, expect, it, vi } from 'vitest'
import { waitFor } from '@fairlead/vitest/wait-for'
import type { Http1Call } from './types.ts'
import {
  connectionsTo,
  plain,
  post,
  type ScriptedRequest,
  scriptedUpstream,
} from '../testing/scripted-upstream.ts'

function shortCall(body: string, options: Partial<Http1Call> = {}): Http1Call {
  return post(body, { latencyClass: 'short', isBuffered: true, ...options })
}

function many<item>(count: number, item: (index: number) => item): item[] {
  return Array.from({ length: count }, (_, index) => item(index))
}

describe('short calls', () => {
  it('share a few connections, and each receives the matching response', async () => {
    const { url, requests } = await scriptedUpstream(({ socket, body }) =>
      socket.write(plain(`answer ${body}`)),
    )
    const connections = connectionsTo(url)
    const responses = await Promise.all(many(64, (index) => connections.request(shortCall(`${index}`))))
    expect(responses.map(({ bytes }) => bytes?.toString())).toEqual(many(64, (index) => `answer ${index}`))
    expect(new Set(requests.map(({ connection }) => connection)).size).toBe(4)
  })

  it('never wait behind a long call', async () => {
    let end = () => {}
    const { url } = await scriptedUpstream(({ socket, body }) => {
      if (body === 'slow') end = () => socket.write(plain('slow'))
      else socket.write(plain(body))
    })
    const connections = connectionsTo(url)
    let isLongCallDone = false
    const slow = connections.request(post('slow')).then(() => (isLongCallDone = true))
    for (let round = 0; round < 10; round++) {
      await Promise.all(many(20, (index) => connections.request(shortCall(`${index}`))))
    }
    expect(isLongCallDone).toBe(false)
    end()
    await slow
  })

  it('are reassigned when the first call of the pipeline takes long', async () => {
    let end = () => {}
    const { url, requests } = await scriptedUpstream(({ socket, body, sequence, connection }) => {
      // A connection that hangs: calls behind the first one get no response.
      if (connection > 1 || sequence > 16) socket.write(plain(body))
      else if (sequence === 1) end = () => socket.write(many(16, (index) => plain(`${index * 4}`)).join(''))
    })
    const connections = connectionsTo(url)
    let isFirstOver = false
    const [first, ...others] = many(64, (index) => connections.request(shortCall(`${index}`)))
    const firstBytes = first?.then(({ bytes }) => {
      isFirstOver = true
      return bytes?.toString()
    })
    const texts = (await Promise.all(others)).map(({ bytes }) => bytes?.toString())
    expect(isFirstOver).toBe(false)
    expect(texts).toEqual(many(63, (index) => `${index + 1}`))
    end()
    expect(await firstBytes).toBe('0')
    expect(requests.length).toBe(64 + 15)
    // Responses that arrived too late were dropped, and the connection is usable again.
    expect((await connections.request(shortCall('again'))).bytes?.toString()).toBe('again')
  })

  it('do not wait behind the reader of a long response', async () => {
    const { url } = await scriptedUpstream(({ socket, body }) =>
      socket.write(body === 'long' ? plain('x'.repeat(3_000_000)) : plain(body)),
    )
    const connections = connectionsTo(url, { maxConnections: 2 })
    const [long, ...others] = [shortCall('long'), ...many(20, (index) => shortCall(`${index}`))].map((call) =>
      connections.request(call),
    )
    const texts = (await Promise.all(others)).map(({ bytes }) => bytes?.toString())
    expect(texts).toEqual(many(20, (index) => `${index}`))
    const parts = (await (await long)?.body.toArray()) as Buffer[]
    expect(Buffer.concat(parts).length).toBe(3_000_000)
  })

  it.each([
    ['is announced', (sequence: number) => plain(`${sequence}`, 'Connection: close\r\n')],
    ['is not announced', (sequence: number) => plain(`${sequence}`)],
  ])('all succeed when every connection ends after one response, which %s', async (name, text) => {
    const { url } = await scriptedUpstream(({ socket, sequence }) => {
      if (sequence > 1) return
      socket.write(text(sequence))
      if (name === 'is not announced') socket.end()
    })
    const connections = connectionsTo(url, { maxConnections: 128 })
    const responses = await Promise.all(many(40, (index) => connections.request(shortCall(`${index}`))))
    expect(responses.every(({ bytes }) => bytes?.toString() === '1')).toBe(true)
  })

  it('are not pipelined at an upstream that processes calls sequentially and slowly', async () => {
    // All clocks are mocked: those of the calls, and those that decide when a call is pipelined as a test.
    let idleMs = 0
    vi.spyOn(performance.nodeTiming, 'idleTime', 'get').mockImplementation(() => idleMs)
    vi.spyOn(performance, 'now').mockReturnValue(performance.now())
    const queues = new Map<number, ScriptedRequest[]>()
    let [received, maxDepth] = [0, 0]
    const { url } = await scriptedUpstream((request) => {
      const queue = queues.get(request.connection) ?? []
      queues.set(request.connection, queue)
      maxDepth = Math.max(maxDepth, queue.push(request))
      received += 1
    })
    const connections = connectionsTo(url, { maxConnections: 128 })
    const pollOptions = { interval: 1, timeout: 50_000 }
    const round = async () => {
      let settled = 0
      received = 0
      for (let call = 0; call < 32; call++) {
        void connections.request(shortCall(`${call}`)).then(() => (settled += 1))
      }
      await vi.waitFor(() => expect(received).toBe(32), pollOptions)
      for (let sent = 0; sent < 32;) {
        // Each connection takes 20 ms for a call.
        idleMs += 20
        for (const queue of queues.values()) {
          const first = queue.shift()
          if (!first) continue
          first.socket.write(plain(first.body))
          sent += 1
        }
        await vi.waitFor(() => expect(settled).toBe(sent), pollOptions)
      }
    }
    await round()
    expect(maxDepth).toBe(8)
    maxDepth = 0
    for (let index = 0; index < 5; index++) await round()
    expect(maxDepth).toBe(1)
  })

  it('that are not repeatable are not pipelined', async () => {
    const { url, requests } = await scriptedUpstream(() => {
      if (requests.length < 10) return
      for (const { socket, connection } of requests) socket.write(plain(`${connection}`))
    })
    const connections = connectionsTo(url)
    await Promise.all(
      many(10, (index) => connections.request(shortCall(`${index}`, { isRepeatable: false }))),
    )
    expect(requests.every(({ sequence }) => sequence === 1)).toBe(true)
  })

  it('that are cancelled do not affect pipelined calls', async () => {
    const pending: (() => void)[] = []
    let isPaused = true
    const { url } = await scriptedUpstream(({ socket, body }) => {
      if (isPaused) pending.push(() => socket.write(plain(body)))
      else socket.write(plain(body))
    })
    const connections = connectionsTo(url, { maxConnections: 1 })
    const controller = new AbortController()
    const calls = many(10, (index) =>
      connections.request(shortCall(`${index}`, index % 3 === 0 ? { signal: controller.signal } : {})),
    )
    const ends = calls.map((call) =>
      call.then(({ bytes }) => bytes?.toString()).catch((error: unknown) => error),
    )
    await waitFor(() => pending.length > 0)
    controller.abort()
    isPaused = false
    for (const respond of pending) respond()
    for (const [index, end] of (await Promise.all(ends)).entries()) {
      if (index % 3 === 0) expect(end).toMatchObject({ kind: 'aborted' })
      else expect(end).toBe(`${index}`)
    }
  })

  it('with a malformed response before them are resent, with the first one', async () => {
    const { url } = await scriptedUpstream(({ socket, body, connection, sequence }) => {
      if (connection > 1) socket.write(plain(body))
      else if (sequence === 5) socket.write('garbage\r\n\r\n')
    })
    const connections = connectionsTo(url, { maxConnections: 1 })
    const calls = many(5, (index) => connections.request(shortCall(`${index}`)))
    const ends = calls.map((call) =>
      call.then(({ bytes }) => bytes?.toString()).catch((error: unknown) => error),
    )
    expect(await Promise.all(ends)).toEqual(['0', '1', '2', '3', '4'])
  })

  it('have a connection when long calls use all of theirs', async () => {
    const { url, requests } = await scriptedUpstream(({ socket, body }) => {
      if (body !== 'slow') socket.write(plain(body))
    })
    const connections = connectionsTo(url, { maxConnections: 8 })
    const slow = many(20, () => connections.request(post('slow')).catch(() => undefined))
    await waitFor(() => requests.length === 4)
    expect((await connections.request(shortCall('1'))).bytes?.toString()).toBe('1')
    await connections.close()
    await Promise.all(slow)
  })
})

describe('a streaming call', () => {
  it('uses a separate connection, has no timeout, and closes its connection', async () => {
    const endless: Socket[] = []
    const { url, sockets } = await scriptedUpstream(({ socket, body }) => {
      if (body === 'endless') endless.push(socket)
      else if (body === 'other') socket.write(plain(body))
    })
    const connections = connectionsTo(url, { maxConnections: 1, headTimeoutMs: 100, bodyTimeoutMs: 100 })
    const streams = many(3, () => connections.request(post('endless', { latencyClass: 'streaming' })))
    expect((await connections.request(post('other'))).bytes?.toString()).toBe('other')
    // Another call that began later times out, by the timeout for headers as well as by that for bodies.
    const expectTimeout = () =>
      expect(connections.request(post('silent'))).rejects.toMatchObject({ kind: 'timeout' })
    await expectTimeout()
    expect(endless).toHaveLength(3)
    for (const socket of endless)
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n')
    const bodies = (await Promise.all(streams)).map(({ body }) => body)
    await expectTimeout()
    for (const body of bodies) {
      expect(body.errored).toBeNull()
      expect(String(body.read())).toBe('x')
      body.destroy()
    }
    await waitFor(() => sockets.size <= 1)
  })

  it('releases all resources when it is cancelled at any time', async () => {
    const { url, sockets, requests } = await scriptedUpstream(({ socket }) =>
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n'),
    )
    const connections = connectionsTo(url)
    const controller = new AbortController()
    const early = connections.request(post('', { latencyClass: 'streaming', signal: controller.signal }))
    controller.abort()
    await expect(early).rejects.toMatchObject({ kind: 'aborted' })
    const { body } = await connections.request(post('', { latencyClass: 'streaming' }))
    await body.dump()
    await waitFor(() => sockets.size === 0)
    expect(requests).toHaveLength(1)
  })
})
