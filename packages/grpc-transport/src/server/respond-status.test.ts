import { once } from 'node:events'
import { constants, createServer, type ServerHttp2Stream } from 'node:http2'
import { afterEach, expect, it } from 'vitest'
import { Status } from '../wire/status.ts'
import { respondStatus } from './respond-status.ts'
import { responseOf, connection, openCall } from './testing/http2-client.ts'
import { closeAll, closeLater } from './testing/text-service.ts'

afterEach(closeAll)

it('a rejection is sent before the reset that ends the request', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  closeLater(() => void server.close())
  await once(server, 'listening')
  const resetInSameTick: boolean[] = []
  server.on('stream', (stream: ServerHttp2Stream) => {
    stream.on('error', () => undefined)
    respondStatus(stream, Status.UNAUTHENTICATED, 'who are you')
    // Before Node.js 24 such a reset overtakes the refusal; later versions send them in order.
    resetInSameTick.push(stream.closed)
  })
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const call = openCall(await connection(`http://127.0.0.1:${port}`), '/test.Text/One')
  call.write('a message that does not end')
  const { status, rstCode } = await responseOf(call)
  expect([status, rstCode]).toEqual([`${Status.UNAUTHENTICATED}`, constants.NGHTTP2_NO_ERROR])
  expect(resetInSameTick).toEqual([false])
})
