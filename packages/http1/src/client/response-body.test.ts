import { describe, expect, it } from 'vitest'
import { waitFor } from '@fairlead/vitest/wait-for'
import { connectionsTo, plain, post, scriptedUpstream } from '../testing/scripted-upstream.ts'

const mebibyte = 1_048_576

describe('a body', () => {
  it('that is not read applies backpressure, and a later reader receives all of it', async () => {
    const { url, requests } = await scriptedUpstream(({ socket }) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${20 * mebibyte}\r\n\r\n`)
      for (let count = 0; count < 20; count++) socket.write(Buffer.alloc(mebibyte, 'x'))
    })
    const connections = connectionsTo(url)
    const { body } = await connections.request(post(''))
    // By the time a body of the same length has been read, this one has arrived as well.
    const other = await connections.request(post(''))
    expect(Buffer.concat(await other.body.toArray()).length).toBe(20 * mebibyte)
    expect(requests[0]?.socket.writableLength).toBeGreaterThan(5 * mebibyte)
    let length = 0
    for await (const chunk of body as AsyncIterable<Buffer>) {
      length += chunk.length
      expect(body.readableLength).toBeLessThan(mebibyte)
    }
    expect(length).toBe(20 * mebibyte)
  })

  it('does not time out while its reader pauses', async () => {
    const { url } = await scriptedUpstream(({ socket, body }) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${8 * mebibyte}\r\n\r\n`)
      if (body !== 'stalls') socket.write(Buffer.alloc(8 * mebibyte, 'x'))
    })
    const connections = connectionsTo(url, { bodyTimeoutMs: 100 })
    const { body } = await connections.request(post(''))
    // A body that began later and is read has timed out by now.
    const stalled = await connections.request(post('stalls'))
    await expect(stalled.body.toArray()).rejects.toMatchObject({ kind: 'timeout' })
    let length = 0
    for await (const chunk of body as AsyncIterable<Buffer>) length += chunk.length
    expect(length).toBe(8 * mebibyte)
  })

  it('that is destroyed ends the connection', async () => {
    const { url, sockets } = await scriptedUpstream(({ socket }) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx'),
    )
    const { body } = await connectionsTo(url).request(post(''))
    body.destroy()
    await waitFor(() => sockets.size === 0)
  })

  it('that is dumped releases the connection when it is short', async () => {
    const { url, requests } = await scriptedUpstream(({ socket, sequence }) => {
      socket.write(sequence === 1 ? 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nx' : plain('second'))
    })
    const connections = connectionsTo(url, { maxConnections: 1 })
    const { body } = await connections.request(post(''))
    await body.dump()
    const second = connections.request(post(''))
    requests[0]?.socket.write('xx')
    expect((await second).bytes?.toString()).toBe('second')
    expect(requests.map(({ connection }) => connection)).toEqual([1, 1])
  })

  it('that is dumped ends the connection when it is long', async () => {
    const { url, sockets } = await scriptedUpstream(({ socket }) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${mebibyte}\r\n\r\n`)
      socket.write(Buffer.alloc(mebibyte, 'x'))
    })
    const { body } = await connectionsTo(url).request(post(''))
    await body.dump()
    await waitFor(() => sockets.size === 0)
  })

  it('that is buffered is complete, or partial after a second', async () => {
    const { url } = await scriptedUpstream(({ socket, body }) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n')
      if (body === 'whole') setTimeout(() => socket.write('5\r\nworld\r\n0\r\n\r\n'), 100)
    })
    const connections = connectionsTo(url)
    const full = await connections.request(post('whole', { isBuffered: true }))
    expect(full.bytes?.toString()).toBe('helloworld')
    const buffered = await connections.request(post('begun', { isBuffered: true }))
    expect(buffered.bytes).toBeUndefined()
    for await (const chunk of buffered.body as AsyncIterable<Buffer>) {
      expect(chunk.toString()).toBe('hello')
      break
    }
  })

  it('without a length is complete when the connection ends, but not after a reset', async () => {
    const { url } = await scriptedUpstream(({ socket, body }) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\nhello')
      setImmediate(() => (body === 'end' ? socket.end(' world') : socket.resetAndDestroy()))
    })
    const connections = connectionsTo(url)
    const full = await connections.request(post('end', { isBuffered: true }))
    expect([full.bytes?.toString(), full.isDelimited]).toEqual(['hello world', false])
    await expect(connections.request(post('reset', { isBuffered: true }))).rejects.toMatchObject({
      kind: 'reset',
    })
  })
})

describe('a signal', () => {
  it('ends a call at any time, and the connection with it', async () => {
    const { url, sockets, requests } = await scriptedUpstream(({ socket, body }) => {
      if (body === 'answered') socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx')
    })
    const connections = connectionsTo(url, { maxConnections: 1 })
    const never = connections.request(post('', { signal: AbortSignal.abort() }))
    await expect(never).rejects.toMatchObject({ kind: 'aborted' })
    const first = new AbortController()
    const response = await connections.request(post('answered', { signal: first.signal }))
    const second = new AbortController()
    const queued = connections.request(post('queued', { signal: second.signal }))
    second.abort()
    await expect(queued).rejects.toMatchObject({ kind: 'aborted' })
    first.abort()
    await expect(response.body.toArray()).rejects.toMatchObject({ kind: 'aborted' })
    await waitFor(() => sockets.size === 0)
    const third = new AbortController()
    const sent = connections.request(post('sent', { signal: third.signal }))
    await waitFor(() => requests.length === 2)
    third.abort()
    await expect(sent).rejects.toMatchObject({ kind: 'aborted' })
    await waitFor(() => sockets.size === 0)
    expect(requests.map(({ body }) => body)).toEqual(['answered', 'sent'])
  })

  it('retains no listeners of a finished call', async () => {
    const { url } = await scriptedUpstream(({ socket }) => socket.write(plain('a')))
    const { signal } = new AbortController()
    const connections = connectionsTo(url)
    let listeners = 0
    const counted = Object.assign(Object.create(signal) as AbortSignal, {
      addEventListener: () => listeners++,
      removeEventListener: () => listeners--,
    })
    Object.defineProperty(counted, 'aborted', { value: false })
    await connections.request(post('', { signal: counted }))
    expect(listeners).toBe(0)
  })
})

describe('the end of all connections', () => {
  it('ends all calls, also those that wait', async () => {
    const { url, sockets } = await scriptedUpstream(() => undefined)
    const connections = connectionsTo(url, { maxConnections: 1 })
    const calls = [post('sent'), post('queued'), post('endless', { latencyClass: 'streaming' as const })]
    const ends = calls.map((call) =>
      connections.request(call).catch((error: unknown) => (error as Error).name),
    )
    await waitFor(() => sockets.size === 2)
    await connections.close()
    expect(await Promise.all(ends)).toEqual(['Http1Error', 'Http1Error', 'Http1Error'])
    await expect(connections.request(post(''))).rejects.toMatchObject({ kind: 'connect_failed' })
    await waitFor(() => sockets.size === 0)
  })
})
