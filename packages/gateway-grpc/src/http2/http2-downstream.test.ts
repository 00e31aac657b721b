import { once } from 'node:events'
import { connect, constants, createServer } from 'node:http2'
import { expect, it, onTestFinished } from 'vitest'
import { http2Client } from './http2-downstream.ts'

it('a rejection is sent before the reset of the request stream', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const resetInSameTick: boolean[] = []
  server.on('stream', (stream) => {
    stream.on('error', () => undefined)
    http2Client(stream).end({ 'grpc-status': '16' })
    // Before Node.js 24, such a reset overtakes the rejection; later versions send them in order nevertheless.
    resetInSameTick.push(stream.closed)
  })
  const address = server.address()
  const session = connect(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`)
  onTestFinished(() => {
    session.destroy()
    server.close()
  })
  const call = session.request({ ':method': 'POST', ':path': '/test.Test/One' }).resume()
  call.on('error', () => undefined)
  call.write('a message that does not end')
  const closed = once(call, 'close')
  const [headers] = (await once(call, 'response')) as [Record<string, unknown>]
  await closed
  expect([headers['grpc-status'], call.rstCode]).toEqual(['16', constants.NGHTTP2_NO_ERROR])
  expect(resetInSameTick).toEqual([false])
})
