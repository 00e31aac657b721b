import { describe, expect, it } from 'vitest'
import { clientFrame, openRawWebSocket } from '@fairlead/gateway-core/testing/raw-websocket'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import { waitFor } from '@fairlead/vitest/wait-for'
import { inFrontOf, type ListenerOptions, token } from '../testing/listener-fixture.ts'
import { responseWithCallId } from '@fairlead/gateway-core/testing/with-call-id'

const kibibyte = 1_024

// No upstream receives a call.
const listening = (options: ListenerOptions = {}) => inFrontOf('http://127.0.0.1:9', options)
const open = ({ port }: { readonly port: number }, path = `/ws/${token}`) => openRawWebSocket(port, path)
const unknownMethod = (id: number) =>
  clientFrame(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_unknown', params: [] }))

describe('invalid messages', () => {
  it.each([
    ['no JSON', '.'],
    ['no call', '1'],
    ['a batch without a call', '[1,2]'],
    ['a batch that is too long', `[${'1,'.repeat(2_000)}1]`],
    ['nested too deep', '['.repeat(2_000)],
  ])('end the connection after 100 in a row: %s', async (_, text) => {
    const gateway = await listening()
    const client = await open(gateway)
    client.socket.write(Buffer.concat(Array.from({ length: 2_000 }, () => clientFrame(text))))
    await waitFor(() => expect(client.closeCode()).toBe(1008))
    expect(client.messages).toHaveLength(100)
    const [, processed] =
      /websocket_messages_total\{direction="in"\} (\d+)/.exec(await gateway.metrics()) ?? []
    expect(Number(processed)).toBeLessThan(200)
    expect(gateway.log()).not.toMatch(/"level":50|stack/)
  })

  it('are allowed between valid ones', async () => {
    const client = await open(await listening())
    for (let round = 0; round < 4; round += 1) {
      client.socket.write(
        Buffer.concat([...Array.from({ length: 99 }, () => clientFrame('1')), unknownMethod(1)]),
      )
    }
    await waitFor(() => expect(client.messages).toHaveLength(400))
    expect(client.closeCode()).toBeUndefined()
  })

  it('are charged like calls', async () => {
    const limits = { credential: { rate: { requestsPerSecond: 5 } } }
    const client = await open(await listening({ grant: { limits } }))
    client.socket.write(Buffer.concat(Array.from({ length: 20 }, () => clientFrame('1'))))
    await waitFor(() => expect(client.messages).toHaveLength(20))
    expect(client.messages.filter((text) => text.includes('-32005')).length).toBeGreaterThan(5)
  })
})

describe('many messages of one client', () => {
  it('do not delay those of another organization', async () => {
    const gateway = await listening({ secondToken: 'other' })
    const [hostile, bystander] = await Promise.all([open(gateway), open(gateway, '/ws/other')])
    const count = 20_000
    hostile.socket.write(Buffer.concat(Array.from({ length: count }, (_, id) => unknownMethod(id))))
    await waitFor(() => expect(hostile.messages.length).toBeGreaterThan(0))
    bystander.socket.write(unknownMethod(1))
    await waitFor(() => expect(bystander.messages).toHaveLength(1))
    expect(hostile.messages.length).toBeLessThan(count)
    await waitFor(() => expect(hostile.messages).toHaveLength(count))
    expect(hostile.messages.map((text) => (JSON.parse(text) as { id: number }).id)).toEqual(
      Array.from({ length: count }, (_, id) => id),
    )
  }, 60_000)
})

describe('the memory of WebSockets', () => {
  it.each([
    ['a message that does not end', 0x81, 1],
    ['fragments of one byte', 0x01, 4_000],
    ['fragments without data', 0x01, 4_000],
  ])('counts %s, and ends the connection that exceeds its share', async (name, first, frames) => {
    const gateway = await listening({ maxBufferedBytes: 600 * kibibyte })
    const reserved = () => gateway.memory().reserved
    const send = async () => {
      const client = await open(gateway)
      if (frames === 1) {
        client.socket.write(clientFrame('x'.repeat(300 * kibibyte), { first, length: 900 * kibibyte }))
      } else {
        client.socket.write(clientFrame('x', { first }))
        const fragment = clientFrame(name.includes('without') ? '' : 'x', { first: 0 })
        for (let sent = 0; sent < frames; sent += 1) client.socket.write(fragment)
      }
      return client
    }
    const clients = await Promise.all([send(), send(), send()])
    await waitFor(() => expect(clients.some(({ closeCode }) => closeCode() !== undefined)).toBe(true))
    for (const { closeCode } of clients) expect([undefined, 1008, 1013]).toContain(closeCode())
    expect(reserved()).toBeLessThanOrEqual(600 * kibibyte)
    for (const { socket } of clients) socket.destroy()
    await waitFor(() => expect(reserved()).toBe(0))
  })

  it('counts responses that are not read, and ends the connection that exceeds its share', async () => {
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result: 'x'.repeat(12_000) })
    const node = await startTestNode(async (request, response) => {
      const body = await responseWithCallId(request, text)
      response.setHeader('content-type', 'application/json').end(body)
    })
    const gateway = await inFrontOf(node, { maxBufferedBytes: 2_000 * kibibyte })
    const client = await open(gateway)
    client.socket.pause()
    const call = clientFrame(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_gasPrice', params: [] }))
    for (let sent = 0; sent < 2_000; sent += 1) client.socket.write(call)
    await waitFor(async () =>
      expect(await gateway.metrics()).toMatch(/websockets_closed_total\{code="1013"\} 1/),
    )
    expect(gateway.memory().reserved).toBeLessThanOrEqual(2_000 * kibibyte)
    client.socket.destroy()
    await waitFor(() => expect(gateway.memory().reserved).toBe(0))
  }, 60_000)

  it('refuses a handshake when the organization holds its share', async () => {
    const gateway = await listening({ maxBufferedBytes: 200 * kibibyte })
    await open(gateway)
    await open(gateway)
    await expect(open(gateway)).rejects.toThrow('503')
  })
})
