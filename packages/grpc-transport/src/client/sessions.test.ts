import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { execFile } from 'node:child_process'
import type { ServerHttp2Stream } from 'node:http2'
import { connect as connectTcp, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createServer as createTlsServer } from 'node:tls'
import { promisify } from 'node:util'
import { generate } from 'selfsigned'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { frameMessage, Status } from '../wire/index.ts'
import { createSessions } from './sessions.ts'
import {
  respond,
  responseHeaders,
  startCall,
  closeAll,
  closeLater,
  failureOf,
  listen,
  path,
  readAll,
  serveRelay,
  serveSockets,
  serveStreams,
  transportTo,
} from './testing/servers.ts'

afterEach(closeAll)

const framed = frameMessage(Uint8Array.of(1))

describe('connections', () => {
  test('are refused, and the error contains the cause and no IP address', async () => {
    const error = await failureOf(startCall(transportTo('http://127.0.0.1:1')))
    expect(error).toMatchObject({ code: Status.UNAVAILABLE, isUnprocessed: true })
    expect(error.message).toBe('UNAVAILABLE: could not connect: ECONNREFUSED')
  })

  test('fail if the server does not support HTTP/2', async () => {
    const port = await serveSockets((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    expect((await failureOf(startCall(transportTo(`http://127.0.0.1:${port}`)))).code).toBe(
      Status.UNAVAILABLE,
    )
  })

  test('time out if the server sends nothing', async () => {
    const port = await serveSockets(() => undefined)
    const error = await failureOf(
      startCall(transportTo(`https://127.0.0.1:${port}`, { connectTimeoutMs: 100 })),
    )
    expect(error.message).toBe('UNAVAILABLE: no connection within 100 ms')
  })

  test('use TLS and trust only the configured CA', async () => {
    const { key, cert } = await generateCertificate()
    const { url } = await serveStreams((stream) => respond(stream, framed), {}, { key, cert })
    expect((await startCall(transportTo(url, { tls: { ca: cert } }))).message).toEqual(Uint8Array.of(1))
    expect((await failureOf(startCall(transportTo(url)))).message).toBe(
      'UNAVAILABLE: could not connect: DEPTH_ZERO_SELF_SIGNED_CERT',
    )
    expect(
      (await failureOf(startCall(transportTo(url, { tls: { ca: cert, servername: 'other' } })))).message,
    ).toBe('UNAVAILABLE: could not connect: ERR_TLS_CERT_ALTNAME_INVALID')
  })

  test('require a server that selects HTTP/2 in the handshake', async () => {
    const server = createTlsServer(await generateCertificate(), (socket) =>
      socket.on('error', () => undefined),
    )
    const url = `https://127.0.0.1:${await listen(server)}`
    closeLater(() => void server.close())
    const error = await failureOf(startCall(transportTo(url, { tls: { rejectUnauthorized: false } })))
    expect(error.message).toBe('UNAVAILABLE: could not connect: the server does not offer HTTP/2')
  })

  test('that violate HTTP/2 are closed', async () => {
    const settings = Uint8Array.of(0, 0, 0, 4, 0, 0, 0, 0, 0)
    const dataOfNoStream = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0)
    const port = await serveSockets((socket) => {
      socket.write(settings)
      socket.on('data', (bytes) => bytes.includes('content-type') || socket.write(dataOfNoStream))
    })
    const error = await failureOf(startCall(transportTo(`http://127.0.0.1:${port}`)))
    expect(error.message).toBe('UNAVAILABLE: the connection broke: ERR_HTTP2_ERROR')
  })

  test('are reopened after a loss; open calls fail', async () => {
    const { url, sessions } = await serveStreams((stream) => {
      stream.respond(responseHeaders)
      stream.write(framed)
    })
    const transport = transportTo(url)
    for (let round = 0; round < 2; round++) {
      const call = transport.open({ path })
      expect(await call.readable()).toBe(true)
      sessions[0]?.destroy()
      expect(call.read()).toEqual(Uint8Array.of(1))
      const error = await failureOf(call.readable())
      expect(error).toMatchObject({ code: Status.UNAVAILABLE, isUnprocessed: false })
      expect(error.detail).toMatch(/^the connection (was closed|broke: ECONNRESET)$/)
    }
  })

  test('that received GOAWAY finish their calls and accept no more', async () => {
    let first: ServerHttp2Stream | undefined
    const { url, sessions } = await serveStreams((stream) => {
      first ??= stream
      stream.respond(responseHeaders, { waitForTrailers: true })
      stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
      stream.write(framed)
      stream.on('end', () => stream.end(framed))
    })
    const transport = transportTo(url)
    const old = transport.open({ path })
    expect(await old.readable()).toBe(true)
    old.read()
    sessions[0]?.close()
    // This message arrives on the connection after the GOAWAY of the server.
    first?.write(framed)
    expect(await old.readable()).toBe(true)
    const later = transport.open({ path })
    expect(await later.readable()).toBe(true)
    expect(sessions).toHaveLength(2)
    for (const call of [old, later]) {
      call.end()
      expect(await readAll(call)).toHaveLength(2)
    }
    await expect.poll(() => sessions.length).toBe(1)
  })

  test.each([0, 2])('that received GOAWAY with code %i retry unprocessed calls', async (code) => {
    let streams = 0
    const { url, sessions } = await serveStreams((stream) => {
      streams++
      if (streams === 1) {
        stream.respond(responseHeaders)
        stream.write(framed)
      } else if (streams === 2) stream.session?.goaway(code, 1)
      else respond(stream, framed)
    })
    const transport = transportTo(url)
    const first = transport.open({ path })
    expect(await first.readable()).toBe(true)
    expect((await startCall(transport)).message).toEqual(Uint8Array.of(1))
    expect(streams).toBe(3)
    if (code === 0) expect(sessions).toHaveLength(2)
    else
      expect(await failureOf(readAll(first))).toMatchObject({
        code: Status.UNAVAILABLE,
        isUnprocessed: false,
      })
    first.cancel()
  })

  test('that the server closes with an error fail their calls with the reason', async () => {
    const { url } = await serveStreams((stream) => {
      stream.respond(responseHeaders)
      stream.write(framed)
      stream.session?.goaway(11, stream.id)
    })
    const error = await failureOf(readAll(transportTo(url).open({ path })))
    expect(error.message).toBe('UNAVAILABLE: the server closed the connection with ENHANCE_YOUR_CALM')
  })

  test('are as many as the streams require', async () => {
    const { url, sessions } = await serveStreams(
      (stream) => {
        stream.respond(responseHeaders, { waitForTrailers: true })
        stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
        stream.write(framed)
        stream.on('data', () => stream.write(framed)).on('end', () => stream.end())
      },
      { maxConcurrentStreams: 10 },
    )
    const transport = transportTo(url, { maxConnections: 3 })
    const calls = Array.from({ length: 30 }, () => transport.open({ path }))
    await Promise.all(calls.map((call) => call.readable()))
    expect(sessions).toHaveLength(3)
    const waiting = transport.open({ path })
    // A round trip on each stream of each connection; an additional stream would have arrived before it.
    for (const call of calls) {
      call.read()
      await call.send(Uint8Array.of(1))
      expect(await call.readable()).toBe(true)
    }
    expect(waiting.read()).toBeUndefined()
    for (const call of calls) {
      call.end()
      expect(await readAll(call)).toHaveLength(1)
    }
    expect(await waiting.readable()).toBe(true)
    expect(sessions).toHaveLength(3)
  })

  test('allow as many streams as the server does on all of them', async () => {
    const { url } = await serveStreams((stream) => stream.respond(responseHeaders), {
      maxConcurrentStreams: 10,
    })
    const sessions = createSessions(url, { maxConnections: 3 })
    onTestFinished(() => sessions.close())
    expect(sessions.maxStreams).toBe(Infinity)
    await sessions.acquire()
    expect(sessions.maxStreams).toBe(30)
  })

  test('that are idle are closed, except one', async () => {
    const { url, sessions } = await serveStreams(
      (stream) => {
        stream.respond(responseHeaders)
        stream.write(framed)
      },
      { maxConcurrentStreams: 1 },
    )
    const transport = transportTo(url, { keepaliveMs: 50 })
    await transport.open({ path }).readable()
    const calls = [transport.open({ path }), transport.open({ path })]
    await Promise.all(calls.map((call) => call.readable()))
    expect(sessions).toHaveLength(3)
    for (const call of calls) call.cancel()
    await expect.poll(() => sessions.length).toBe(1)
  })

  test('that become idle at the same time are closed, except one', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const { url, sessions } = await serveStreams(
      (stream) => {
        stream.respond(responseHeaders)
        stream.write(framed)
      },
      { maxConcurrentStreams: 1 },
    )
    const transport = transportTo(url, { keepaliveMs: 50 })
    const calls = [transport.open({ path }), transport.open({ path }), transport.open({ path })]
    await Promise.all(calls.map((call) => call.readable()))
    const before = new Set<unknown>(sessions)
    for (const call of calls) call.cancel()
    while (sessions.length > 1) {
      await nextTurn()
      vi.advanceTimersByTime(50)
    }
    const next = transport.open({ path })
    expect(await next.readable()).toBe(true)
    expect([before.size, sessions.length, before.has(sessions[0])]).toEqual([3, 1, true])
  })

  test('that are idle for idleTimeoutMs are closed, although the server sends PINGs', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const { url, sessions } = await serveStreams((stream) => respond(stream, framed))
    const transport = transportTo(url, { keepaliveMs: 1000, idleTimeoutMs: 3000 })
    await startCall(transport)
    const [session] = sessions
    /** Returns whether the session remains open. */
    const passSecond = async () => {
      await new Promise<void>((resolve) => session?.ping(() => resolve()))
      vi.advanceTimersByTime(1000)
      return session?.destroyed === false
    }
    for (let second = 0; second < 3; second++) await passSecond()
    await startCall(transport)
    expect(sessions).toEqual([session])
    let seconds = 1
    while (await passSecond()) seconds++
    expect(seconds).toBeGreaterThan(3)
  })

  test('that are inactive are closed', async () => {
    let pings = 0
    const { port } = await serveStreams((stream) => {
      stream.session?.on('ping', () => pings++)
      stream.respond(responseHeaders)
      stream.write(framed)
    })
    const relay = await serveRelay(port)
    const call = transportTo(relay.url, { keepaliveMs: 50, keepaliveTimeoutMs: 2_000 }).open({ path })
    expect(await call.readable()).toBe(true)
    expect(call.read()).toEqual(Uint8Array.of(1))
    const end = readAll(call)
    // The silent server responds to each PING; the next one is sent after the response.
    await expect.poll(() => pings).toBeGreaterThan(3)
    relay.stall()
    expect((await failureOf(end)).message).toBe('UNAVAILABLE: the server gave no sign of life')
  })

  test('have large windows, and disable push', async () => {
    const { url, sessions } = await serveStreams((stream) => respond(stream, framed))
    await startCall(transportTo(url))
    const mebibyte = 1_048_576
    expect(sessions[0]?.remoteSettings).toMatchObject({ initialWindowSize: 8 * mebibyte, enablePush: false })
    expect(sessions[0]?.state.remoteWindowSize).toBe(16 * mebibyte - framed.length)
  })

  test('that were lost during an idle period are detected by the next call', async () => {
    const { port } = await serveStreams((stream) => respond(stream, framed))
    const relay = await serveRelay(port)
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const transport = transportTo(relay.url, { keepaliveMs: 1000, keepaliveTimeoutMs: 50 })
    await startCall(transport)
    relay.stall()
    // Data in transit arrives before the next interval checks for bytes.
    for (let ticks = 0; ticks < 5; ticks++) await nextTurn()
    vi.advanceTimersByTime(1000)
    // No further interval follows, because the clock is stopped.
    const error = await failureOf(startCall(transport))
    expect(error.message).toBe('UNAVAILABLE: the server gave no sign of life')
  })

  test('are not retried without a delay while the server is unavailable', async () => {
    const attempts: number[] = []
    const port = await serveSockets((socket) => {
      attempts.push(performance.now())
      socket.destroy()
    })
    const transport = transportTo(`http://127.0.0.1:${port}`)
    const endsAt = performance.now() + 400
    while (performance.now() < endsAt || attempts.length < 2) await failureOf(startCall(transport))
    expect(attempts.length).toBeLessThan(10)
  })

  test('end with the transport, and end their calls', async () => {
    const { url, sessions } = await serveStreams((stream) => {
      stream.respond(responseHeaders)
      stream.write(framed)
    })
    const transport = transportTo(url)
    const call = transport.open({ path })
    await call.readable()
    call.read()
    const end = failureOf(call.readable())
    await transport.close()
    expect((await end).message).toBe('CANCELLED: the transport was closed')
    expect((await failureOf(startCall(transport))).code).toBe(Status.CANCELLED)
    await expect.poll(() => sessions.length).toBe(0)
  })

  test('are awaited no longer than the timeout of the call', async () => {
    const port = await serveSockets(() => undefined)
    const transport = transportTo(`http://127.0.0.1:${port}`)
    const controller = new AbortController()
    const cancelled = startCall(transport, { signal: controller.signal })
    const lateFailure = failureOf(startCall(transport, { timeoutMs: 20 }))
    controller.abort('enough')
    await expect(cancelled).rejects.toBe('enough')
    expect((await lateFailure).code).toBe(Status.DEADLINE_EXCEEDED)
  })

  test('that are being opened end with the transport', async () => {
    let accept: (socket: Socket) => void = () => undefined
    const accepted = new Promise<Socket>((resolve) => (accept = resolve))
    const port = await serveSockets((socket) => accept(socket))
    const transport = transportTo(`https://127.0.0.1:${port}`)
    const failed = failureOf(startCall(transport))
    await accepted
    await transport.close()
    expect((await failed).code).toBe(Status.CANCELLED)
  })

  test('do not keep a process alive after the calls have ended', async () => {
    const { url } = await serveStreams((stream) => respond(stream, framed))
    const entry = fileURLToPath(new URL('../index.ts', import.meta.url))
    const script = `import { callUnary, createHttp2Transport } from ${JSON.stringify(entry)}
      const { message } = await callUnary(createHttp2Transport('${url}'), { path: '/a/b', timeoutMs: 60_000 }, new Uint8Array())
      process.stdout.write(String(message[0]))`
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--input-type=module-typescript',
      '-e',
      script,
    ])
    expect(stdout).toBe('1')
  })
})

describe('createSessions', () => {
  test('fails immediately for an unavailable server, and reconnects in the background', async () => {
    let attempts = 0
    let isAway = true
    const { port: behind } = await serveStreams(() => undefined)
    const port = await serveSockets((socket) => {
      attempts++
      if (isAway) socket.destroy()
      else socket.pipe(connectTcp(behind, '127.0.0.1')).pipe(socket)
    })
    const sessions = createSessions(`http://127.0.0.1:${port}`, { waitForReadyMs: 5 })
    closeLater(() => sessions.close())
    for (let failures = 0; failures < 20; failures++) await failureOf(sessions.acquire())
    expect(attempts).toBeLessThan(5)
    isAway = false
    const attemptsBefore = attempts
    // The last attempt may have ended with the last call, so that no attempt runs until the next request.
    await expect.poll(() => sessions.acquire().then(() => 'there', String)).toBe('there')
    expect(attempts).toBe(attemptsBefore + 1)
  })

  test('waits for a slow server at most waitForReadyMs, except at first', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const attempts: Socket[] = []
    const port = await serveSockets((socket) => attempts.push(socket))
    // A poll of the test runner would advance the clock.
    const attempted = async (count: number) => {
      while (attempts.length < count) await nextTurn()
    }
    const options = { connectTimeoutMs: 300, waitForReadyMs: 20 }
    const sessions = createSessions(`http://127.0.0.1:${port}`, options)
    closeLater(() => sessions.close())
    const timeoutMessage = 'UNAVAILABLE: no connection within 300 ms'
    const first = failureOf(sessions.acquire())
    await attempted(1)
    vi.advanceTimersByTime(299)
    expect(await Promise.race([first, nextTurn('waits')])).toBe('waits')
    vi.advanceTimersByTime(1)
    expect((await first).message).toBe(timeoutMessage)
    const second = failureOf(sessions.acquire())
    await attempted(2)
    // The second attempt continues, because the clock is stopped from now on.
    vi.advanceTimersByTime(20)
    expect((await second).message).toBe(timeoutMessage)
  })

  test('lets streams end within the grace period', async () => {
    const { url } = await serveStreams((stream) => {
      stream.respond(responseHeaders)
      stream.on('data', () => stream.end())
    })
    const sessions = createSessions(url)
    closeLater(() => sessions.close())
    const session = await sessions.acquire()
    const [first, second] = [session, session].map((one) =>
      one.request({ ':method': 'POST' }, { endStream: false }),
    )
    second?.resume().on('error', () => undefined)
    if (second) await once(second, 'response')
    first?.resume().end('x')
    const closing = sessions.close(200)
    if (first) await once(first, 'close')
    expect(first?.rstCode).toBe(0)
    expect(second?.destroyed).toBe(false)
    await closing
    expect(second?.destroyed).toBe(true)
    await expect(sessions.acquire()).rejects.toMatchObject({ code: Status.CANCELLED })
  })
})

async function generateCertificate() {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'node' }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  })
  return { key, cert }
}
