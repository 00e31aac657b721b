import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import { CorkedSockets } from './corked-sockets.ts'
import { FlushingWebSocket } from './flushing-websocket.ts'
import { textFrame } from './text-frame.ts'

it('flushes corked frames before its response to the Close frame of a client', async () => {
  const webSockets = new WebSocketServer({ noServer: true, WebSocket: FlushingWebSocket })
  const sockets = new CorkedSockets()
  const server = createServer()
  server.on('upgrade', (request, socket, head) => {
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      const corked = sockets.of(socket)
      webSocket.flush = () => corked.flush()

      webSocket.on('message', () => corked.write(textFrame('answer')))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => void client.destroy())
  const key = Buffer.alloc(16).toString('base64')
  client.write(
    'GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n' +
      `sec-websocket-version: 13\r\nsec-websocket-key: ${key}\r\n\r\n`,
  )
  await once(client, 'data')
  const received: Buffer[] = []
  client.on('data', (bytes: Buffer) => received.push(bytes))
  // A text frame and a Close frame with 1000 in one packet, masked with zeros.
  client.write(Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0x41, 0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe8]))
  await once(client, 'end')
  const close = Buffer.from([0x88, 0x02, 0x03, 0xe8])
  expect(Buffer.concat(received)).toEqual(Buffer.concat([Buffer.from(textFrame('answer'), 'latin1'), close]))
})
