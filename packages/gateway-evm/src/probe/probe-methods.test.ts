import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { methods } from '@fairlead/evm-rpc/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import { ProbeFailure } from './probe-methods.ts'
import { type ReceivedCall, content, nodeWithResponse, outcomes, probe } from '../testing/probed-node.ts'

describe('a misbehaving node', { timeout: 60_000 }, () => {
  it('that returns a retry delay is called again after it', async () => {
    const times: number[] = []
    let rejections = 0
    const url = await nodeWithResponse((call, response) => {
      if (call.method !== 'eth_gasPrice') return content(call)
      times.push(performance.now())
      if (++rejections > 1) return content(call)
      response.statusCode = 429
      response.setHeader('retry-after', '1')
      return { error: { code: -32005, message: 'slow down' } }
    })
    const report = await probe(url, { methods: ['eth_gasPrice', 'eth_chainId', 'net_version'] })
    expect(outcomes(report)).toMatchObject({ eth_gasPrice: 'available' })
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(900)
  })

  it('that returns a long retry delay is not called again', async () => {
    let calls = 0
    const url = await nodeWithResponse((call, response) => {
      if (call.method !== 'eth_gasPrice') return content(call)
      calls += 1
      response.statusCode = 429
      response.setHeader('retry-after', '3600')
      return ''
    })
    const report = await probe(url, { methods: ['eth_gasPrice', 'net_version'] })
    expect(calls).toBe(1)
    expect(report.methods).toMatchObject([
      { outcome: 'failed', note: 'rate limited' },
      { outcome: 'available' },
    ])
  })

  it('that fails for some methods has only those marked as failed', async () => {
    const url = await nodeWithResponse((call, response) => {
      switch (call.method) {
        case 'eth_call':
          return undefined
        case 'eth_gasPrice':
          return '<html>'
        case 'eth_getLogs':
          response.socket?.destroy()
          return undefined
        case 'eth_accounts':
          response.statusCode = 503
          return ''
        case 'eth_getCode':
          response.statusCode = 302
          response.setHeader('location', 'http://127.0.0.1:1/elsewhere')
          return ''
        case 'eth_getProof':
          return { error: 'out of credits, see billing' }
        case 'eth_coinbase':
          return { id: null, result: undefined }
        default:
          return content(call)
      }
    })
    const report = await probe(url, { timeoutMs: 1_500 })
    const rows = Object.fromEntries(
      report.methods.map(({ method, outcome, note }) => [method, `${outcome} ${note}`]),
    )
    expect(rows).toMatchObject({
      eth_call: 'failed no response in time',
      eth_gasPrice: 'failed not JSON-RPC',
      eth_getLogs: 'failed unreachable',
      eth_accounts: 'failed HTTP 503',
      eth_getCode: 'failed HTTP 302',
      eth_getProof: 'refused not part of the plan',
      eth_coinbase: 'failed not JSON-RPC',
    })
    expect(report.totals.failed).toBe(6)
  })

  it('that sends an endless response is not read to the end', async () => {
    const url = await nodeWithResponse((call, response) => {
      if (call.method !== 'eth_accounts') return content(call)
      response.write(`{"jsonrpc":"2.0","id":${call.id},"result":["`)
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
        if (!response.destroyed) response.once('drain', more)
      }
      more()
      return undefined
    })
    expect(outcomes(await probe(url, { methods: ['eth_accounts'] }))).toEqual({ eth_accounts: 'available' })
  })

  it('that closes its WebSocket is reconnected', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const sockets = new WebSocketServer({ server })
    onTestFinished(() => {
      for (const client of sockets.clients) client.terminate()
      server.close()
    })
    sockets.on('connection', (socket) => {
      socket.on('message', (data: Buffer) => {
        const call = JSON.parse(data.toString()) as ReceivedCall
        if (call.method === 'eth_call') {
          socket.terminate()
          return
        }
        socket.send('not JSON')
        socket.send('{"method":"eth_subscription","params":{}}')
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: call.id, ...content(call) }))
      })
    })
    const { port } = server.address() as AddressInfo
    const report = await probe(`ws://127.0.0.1:${port}`, {
      methods: ['eth_accounts', 'eth_call', 'eth_gasPrice', 'net_version'],
      concurrency: 1,
    })
    expect(outcomes(report, 'websocket')).toEqual({
      eth_accounts: 'available',
      eth_call: 'failed',
      eth_gasPrice: 'available',
      net_version: 'available',
    })
  })

  it.each<
    [
      string,
      string | RegExp,
      (call: ReceivedCall, response: ServerResponse) => object | string | undefined,
      options?: { timeoutMs: number },
    ]
  >([
    ['is not there', 'The node cannot be reached.', (_, response) => void response.socket?.destroy()],
    ['never responds', 'The node does not respond in time.', () => undefined, { timeoutMs: 300 }],
    ['is a web page', 'The server at this URL does not support JSON-RPC.', () => '<html>'],
    [
      'does not have the path',
      'The node returns HTTP 404.',
      (_, response) => {
        response.statusCode = 404
        return 'no'
      },
    ],
    [
      'rejects the credential',
      'The node rejects the credential.',
      (_, response) => {
        response.statusCode = 401
        return { error: { code: -32600, message: 'Unauthorized: token c4n4ry' } }
      },
    ],
  ])('that %s receives only the first calls', async (_, reason, respond, options) => {
    let calls = 0
    const url = await nodeWithResponse((call, response) => {
      calls += 1
      return respond(call, response)
    })
    const failure: unknown = await probe(`${url}/c4n4ry`, options).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ProbeFailure)
    expect(failure).toMatchObject({ message: reason })
    expect(String(failure)).not.toContain('c4n4ry')
    expect(calls).toBeLessThan(6)
  })

  it('without responses over WebSocket is distinguished from an unreachable one', async () => {
    const url = await nodeWithResponse(content)
    const webSocketUrl = url.replace('http', 'ws')
    await expect(probe(url, { webSocketUrl })).rejects.toThrow('websocket: The node returns HTTP 426.')
  })

  it('receives no calls after the probe is aborted', async () => {
    const controller = new AbortController()
    let calls = 0
    const url = await nodeWithResponse((call) => {
      calls += 1
      if (call.method === 'eth_gasPrice') controller.abort(new Error('enough'))
      return content(call)
    })
    await expect(probe(url, {}, controller.signal)).rejects.toThrow('enough')
    expect(calls).toBeLessThan(Object.keys(methods).length)
  })

  it('retains no filter when the probe is aborted', async () => {
    const controller = new AbortController()
    const filters = new Set<unknown>()
    const url = await nodeWithResponse((call) => {
      if (call.method === 'eth_newFilter') {
        filters.add(call.id)
        return { result: `0x${call.id.toString(16)}` }
      }
      if (call.method === 'eth_uninstallFilter') {
        filters.delete(Number(call.params[0]))
        return { result: true }
      }
      // Never responds: an aborted probe must not wait for it.
      if (call.method === 'net_version') return undefined
      if (call.method !== 'eth_getFilterLogs') return content(call)
      expect(filters.size).toBe(1)
      controller.abort(new Error('enough'))
      return undefined
    })
    const options = { methods: ['eth_getFilterLogs', 'net_version', 'web3_sha3'], concurrency: 2 }
    await expect(probe(url, options, controller.signal)).rejects.toThrow('enough')
    expect(filters).toEqual(new Set())
  })

  it('without a WebSocket receives no subscription requests', async () => {
    const url = await nodeWithResponse(content)
    await expect(probe(url, { methods: ['eth_subscribe'] })).rejects.toThrow(
      'None of the methods can be called over this transport.',
    )
  })
})
