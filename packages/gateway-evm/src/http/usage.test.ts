import { createServer } from 'node:http'
import { once } from 'node:events'
import { expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import { listenTo, token } from '../testing/listener-fixture.ts'
import { createUsageCounts, type UsageRow } from '@fairlead/gateway-core/usage/usage-counts'

const pollOptions = { timeout: 50_000 }

/** Starts an upstream that returns its new chain head for every call, and a gateway that counts usage. */
async function counted(options: Partial<Parameters<typeof listenTo>[1]> = {}) {
  let head = 1
  const node = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const calls = [JSON.parse(body) as { id: number; method: string }].flat()
      const responses = calls.map(({ id, method }) => ({
        jsonrpc: '2.0',
        id,
        result: method === 'eth_blockNumber' ? `0x${(head++).toString(16)}` : '0x1',
      }))
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(body.startsWith('[') ? responses : responses[0]))
    })
  }).listen(0, '127.0.0.1')
  await once(node, 'listening')
  const address = node.address()
  const usage = createUsageCounts(() => 1)
  const port = typeof address === 'object' && address ? address.port : 0
  const dependencies = await listenTo(`http://127.0.0.1:${port}`, { ...options, usage })
  onTestFinished(async () => {
    await dependencies.stop()
    node.closeAllConnections()
    node.close()
  })
  const post = async (content: unknown, path = token) => {
    const body = typeof content === 'string' ? content : JSON.stringify(content)
    const response = await fetch(`${dependencies.url}/${path}`, { method: 'POST', body })
    return { body, text: await response.text(), status: response.status }
  }
  /** Returns all usage since the last call, once it reaches the given number of requests. */
  const takeUsage = async (requests: number) => {
    const rows: UsageRow[] = []
    await vi.waitFor(() => {
      rows.push(...usage.drain())
      expect(sum(rows, 'requests')).toBeGreaterThanOrEqual(requests)
    }, pollOptions)
    return rows
  }
  return { dependencies, post, takeUsage }
}

type Summed = 'requests' | 'units' | 'bytesIn' | 'bytesOut' | 'timedRequests' | 'durationMicroseconds'

function sum(rows: readonly UsageRow[], field: Summed): number {
  return rows.reduce((total, row) => total + row[field], 0)
}

const call = (method: string, id = 1) => ({ jsonrpc: '2.0', id, method, params: [] })

it('counts a call over HTTP with its bytes for its credential', async () => {
  const { post, takeUsage } = await counted()
  const { body, text, status } = await post(call('eth_chainId'))
  expect([status, text]).toEqual([200, expect.stringContaining('0x1')])
  const [row, ...rest] = await takeUsage(1)
  expect(rest).toEqual([])
  expect(row).toMatchObject({
    credentialId: 'credential',
    nodeId: 'node',
    organizationId: 'organization',
    protocol: 'evm',
    method: 'eth_chainId',
    statusClass: 2,
    requests: 1,
    units: 1,
    bytesIn: body.length,
    bytesOut: text.length,
    timedRequests: 1,
    durationMicroseconds: expect.any(Number) as number,
  })
  expect(row?.durationMicroseconds).toBeGreaterThan(0)
})

it('counts every call of a batch by its method, but no method that a caller invented', async () => {
  const { post, takeUsage } = await counted()
  const { body, text } = await post([call('eth_chainId', 1), call('eth_gasPrice', 2), call('c4n4ry', 3)])
  const rows = await takeUsage(3)
  expect(rows.map((row) => `${row.method} ${row.requests}`).toSorted()).toEqual([
    'eth_chainId 1',
    'eth_gasPrice 1',
    'unknown 1',
  ])
  expect(sum(rows, 'bytesIn')).toBe(body.length)
  expect(sum(rows, 'bytesOut')).toBe(text.length)
  // The client waited for each call as long as for the whole batch.
  expect(rows.map((row) => row.timedRequests)).toEqual([1, 1, 1])
  expect(new Set(rows.map((row) => row.durationMicroseconds)).size).toBe(1)
})

it('counts rejections after authentication without units, and nothing before it', async () => {
  const { post, takeUsage } = await counted({ maxBatchItems: 2 })
  expect((await post(call('eth_chainId'), 'wrong-token')).status).toBe(401)
  expect((await post('x'.repeat(2_000_000))).status).toBe(413)
  const rows = await takeUsage(1)
  expect(rows).toMatchObject([{ method: 'unknown', statusClass: 4, requests: 1, units: 0 }])
})

it('counts the messages of a WebSocket, in both directions', async () => {
  const { dependencies, takeUsage } = await counted()
  const socket = new WebSocket(dependencies.wsUrl)
  await once(socket, 'open')
  const texts: string[] = []
  socket.on('message', (data: Buffer) => texts.push(data.toString()))
  socket.send(JSON.stringify(call('eth_chainId')))
  socket.send(JSON.stringify([call('eth_chainId', 2), call('eth_gasPrice', 3)]))
  const rows = await takeUsage(3)
  expect([sum(rows, 'requests'), sum(rows, 'timedRequests')]).toEqual([3, 3])
  expect(sum(rows, 'durationMicroseconds')).toBeGreaterThan(0)
  await vi.waitFor(() => expect(texts).toHaveLength(2), pollOptions)
  expect(sum(rows, 'bytesOut')).toBe(texts.join('').length)
  socket.close()
})
