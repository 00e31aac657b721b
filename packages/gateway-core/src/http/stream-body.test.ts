import { once } from 'node:events'
import { get, type ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import { expect, test, vi } from 'vitest'
import { serve } from '@fairlead/gateway-core/testing/serve'
import { streamBody } from '@fairlead/gateway-core/http/stream-body'

const rules = {
  begin: () => undefined,
  failureOf: () => new Error('The node is to blame.'),
}

/** Begins to stream to a client, and reports how the stream ends. */
async function streaming(body: PassThrough) {
  let ended: Promise<unknown> | undefined
  let serverResponse: ServerResponse | undefined
  const server = await serve((_, response) => {
    serverResponse = response
    ended = streamBody(body, response, rules)
  })
  body.write('{')
  const request = get(server.url)
  request.on('error', () => undefined)
  const [response] = await once(request, 'response')
  response.on('error', () => undefined)
  await once(response, 'data')
  return {
    end: ended as Promise<unknown>,
    response: serverResponse as ServerResponse,
    stop: () => server.stop(),
  }
}

test('reports an upstream that closes the connection early', async () => {
  const body = new PassThrough()
  const { end, stop } = await streaming(body)
  body.destroy(new Error('broken'))
  expect(await end).toBeInstanceOf(Error)
  await stop()
})

test('does not report an upstream when the client disconnects at the same time', async () => {
  const body = new PassThrough()
  const { end, response, stop } = await streaming(body)
  // A shutdown of the gateway causes both. A response receives the event for the end of its connection later than the
  // socket.
  response.socket?.destroy()
  body.destroy(new Error('left'))
  expect(await end).toBe('client disconnected')
  await stop()
})

test('waits for its turn before each chunk while the budget of the tick is used up', async () => {
  const body = new PassThrough()
  const turns: { readonly units: number; readonly proceed: () => void }[] = []
  const turn = (units: number) => new Promise<void>((proceed) => void turns.push({ units, proceed }))
  let sent = 0
  const server = await serve((_, response) => {
    void streamBody(body, response, { ...rules, sent: (bytes) => (sent += bytes), turn })
  })
  const received = fetch(server.url).then((response) => response.text())
  for (const before of [0, 32_768]) {
    body.write('x'.repeat(32_768))
    await vi.waitFor(() => expect(turns).toHaveLength(1))
    expect([turns[0]?.units, sent]).toEqual([2, before])
    turns.pop()?.proceed()
  }
  body.end()
  expect(await received).toHaveLength(65_536)
  await server.stop()
})
