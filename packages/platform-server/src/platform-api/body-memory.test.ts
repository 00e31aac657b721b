import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { memoryFactors, MemoryLedger } from '@fairlead/gateway-core/memory/memory-ledger'
import { type PlatformFixture, platformFixture } from '../testing/platform-fixture.ts'
import { anyDatabase, type TemporaryDatabase } from '../testing/temporary-store.ts'

const memory = new MemoryLedger(8_000_000)
let database: TemporaryDatabase
let fixture: PlatformFixture
let port: number
beforeAll(async () => {
  database = await anyDatabase()
  fixture = await platformFixture(database, { memory })
  await fixture.app.listen({ port: 0, host: '127.0.0.1' })
  ;({ port } = fixture.app.server.address() as AddressInfo)
}, 60_000)
afterAll(async () => {
  await fixture.app.close()
  await database.remove()
})

const held = () => memory.states().reserved / memoryFactors.request

/** Sends the head of a request and the first byte of its body. */
async function begin(
  path: string,
  fields: readonly string[],
  firstBytes: string | Uint8Array = '{',
): Promise<{ socket: Socket; text: () => string }> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  let text = ''
  socket.setEncoding('utf8').on('data', (data: string) => (text += data))
  await once(socket, 'connect')
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${fields.join('\r\n')}\r\n\r\n`,
  )
  socket.write(firstBytes)
  return { socket, text: () => text }
}

it.each([
  ['of a stated length', ['content-length: 500000'], 500_000, '{'],
  ['of an unknown length', ['transfer-encoding: chunked'], 1_048_576, '1\r\n{'],
  [
    'that is compressed',
    ['content-length: 100', 'content-encoding: gzip'],
    1_048_576,
    Buffer.of(0x1f, 0x8b, 0x08),
  ],
])('a body %s is counted before it is read', async (_, fields, bytes, firstBytes) => {
  const { socket } = await begin(
    '/v2/projects/',
    [`authorization: Bearer ${fixture.first.apiKey}`, ...fields],
    firstBytes,
  )
  await vi.waitFor(() => expect(held()).toBe(bytes))
  socket.destroy()
  await vi.waitFor(() => expect(held()).toBe(0))
})

it('bodies of clients without a credential may use a quarter, and further ones are refused', async () => {
  const sent = await Promise.all(
    Array.from({ length: 60 }, () => begin('/v1/session/', ['content-length: 16000'])),
  )
  await vi.waitFor(() => expect(sent.some(({ text }) => text().startsWith('HTTP/1.1 503'))).toBe(true))
  expect(memory.states().reserved).toBeLessThanOrEqual(2_000_000)
  expect(fixture.log()).not.toContain('request failed')
  const { statusCode } = await fixture.call('/v2/projects/', { method: 'POST', payload: { name: 'Next' } })
  expect(statusCode).toBe(201)
  for (const { socket } of sent) socket.destroy()
  await vi.waitFor(() => expect(held()).toBe(0))
})
