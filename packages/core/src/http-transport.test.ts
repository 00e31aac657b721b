import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { watchStartedTimers } from '@fairlead/vitest/started-timers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { FairleadError } from './error.ts'
import { createHttpTransport, type HttpCall } from './http-transport.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/s3cr3t`
}

const read = (response: Response) => response.text()
const send = createHttpTransport({ timeoutMs: 2_000 }, ['s3cr3t'])
const call = (url: string, extra: Partial<HttpCall> = {}): HttpCall => ({
  operation: 'test',
  url,
  idempotent: true,
  ...extra,
})

describe('createHttpTransport', () => {
  it('sends an idempotent call again while the status may pass, and hands over the last answer', async () => {
    let requests = 0
    const url = await serve((_, response) => {
      requests += 1
      response.writeHead(requests < 3 ? 503 : 200).end(`answer ${requests}`)
    })
    expect(await send(call(url), read)).toBe('answer 3')
    expect(requests).toBe(3)
  })

  it('never sends a call twice that is not idempotent', async () => {
    let requests = 0
    const url = await serve((_, response) => {
      requests += 1
      response.writeHead(503).end('busy')
    })
    expect(await send(call(url, { idempotent: false }), read)).toBe('busy')
    expect(requests).toBe(1)
  })

  it('does not go on for ever when the number of retries is none', async () => {
    let requests = 0
    const url = await serve((_, response) => {
      requests += 1
      response.writeHead(503).end('busy')
    })
    const endless = createHttpTransport({ retries: Number.NaN }, [])
    expect(await endless(call(url), read)).toBe('busy')
    expect(requests).toBe(1)
  })

  it('sends an idempotent call again when the body is interrupted', async () => {
    let requests = 0
    const url = await serve((_, response) => {
      requests += 1
      if (requests > 1) {
        response.end('whole')
        return
      }
      response.writeHead(200, { 'content-length': '100' })
      response.write('half', () => void response.destroy())
    })
    expect(await send(call(url), read)).toBe('whole')
  })

  it('waits as long as Retry-After asks', async () => {
    let requests = 0
    const url = await serve((_, response) => {
      requests += 1
      if (requests === 1) response.writeHead(429, { 'retry-after': '1' }).end()
      else response.end('ok')
    })
    const started = performance.now()
    expect(await send(call(url), read)).toBe('ok')
    expect(performance.now() - started).toBeGreaterThanOrEqual(990)
  })

  it('hands over an answer whose Retry-After is too far away', async () => {
    const url = await serve((_, response) =>
      response.writeHead(429, { 'retry-after': '86400' }).end('tomorrow'),
    )
    expect(await send(call(url), read)).toBe('tomorrow')
  })

  it('limits each attempt, body included', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200)
      response.write('never ends')
    })
    const error = await send(call(url, { timeoutMs: 100, idempotent: false }), read).catch(
      (reason: unknown) => reason,
    )
    expect(FairleadError.is(error, 'TRANSPORT_TIMEOUT') && error.details).toMatchObject({
      operation: 'test',
      timeoutMs: 100,
      attempt: 1,
    })
  })

  it("passes the caller's abort through unchanged, also during a pause", async () => {
    const url = await serve((_, response) => response.writeHead(503, { 'retry-after': '30' }).end())
    const controller = new AbortController()
    const reason = new Error('enough')
    const timerStarted = watchStartedTimers()
    const inPause = expect(send(call(url, { signal: controller.signal }), read)).rejects.toBe(reason)
    await timerStarted(29_000)
    controller.abort(reason)
    await inPause
    await expect(send(call(url, { signal: AbortSignal.abort(reason) }), read)).rejects.toBe(reason)
  })

  it('ends at once when the signal aborts while the body of a failed attempt is dropped', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout')
    const controller = new AbortController()
    const reason = new Error('enough')
    const response = new Response(
      new ReadableStream({
        cancel: () => controller.abort(reason),
      }),
      { status: 503, headers: { 'retry-after': '50' } },
    )
    const transport = createHttpTransport({ fetch: () => Promise.resolve(response) }, [])
    const sent = transport(call('http://node.example', { signal: controller.signal }), read)
    await expect(sent).rejects.toBe(reason)
    expect(timers.mock.calls.filter(([, ms = 0]) => ms > 10_000)).toEqual([])
  })

  it('says why nothing came, without the secret', async () => {
    const url = await serve((_, response) => response.destroy())
    const error = await createHttpTransport({ retries: 1 }, ['s3cr3t'])(call(url), read).catch(
      (reason: unknown) => reason,
    )
    expect(FairleadError.is(error, 'TRANSPORT_FAILED') && error.details.attempt).toBe(2)
    expect(`${String(error)} ${(error as Error).stack} ${JSON.stringify(error)}`).not.toContain('s3cr3t')
  })

  it('does not follow a redirect, which could carry the token away', async () => {
    let elsewhere = 0
    const target = await serve((_, response) => {
      elsewhere += 1
      response.end()
    })
    const url = await serve((_, response) => response.writeHead(307, { location: target }).end())
    expect(await send(call(url), async (response) => response.status)).toBe(307)
    expect(elsewhere).toBe(0)
  })
})
