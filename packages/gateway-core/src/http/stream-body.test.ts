import { once } from 'node:events'
import { get, type ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
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
