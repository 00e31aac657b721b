import { expect, it, onTestFinished } from 'vitest'
import { gatewayFixture } from './gateway-fixture.ts'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import { inFrontOf, type ListenerOptions, token } from '@fairlead/gateway-evm/testing/listener-fixture'
import { sendRaw } from '@fairlead/http1/testing/raw-http'
import { waitFor } from '@fairlead/vitest/wait-for'
import { openWebSocket, rejectedHandshake } from '@fairlead/gateway-core/testing/websocket-client'

/** Starts a node whose chain has one block. */
function quietChain(): Promise<string> {
  return startTestNode((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      const { id } = JSON.parse(text) as { id: unknown }
      const block = { number: '0x0', hash: `0x${'1'.repeat(64)}`, parentHash: `0x${'0'.repeat(64)}` }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: block }))
    })
  })
}

async function gatewayWith(options: ListenerOptions) {
  const gateway = await inFrontOf(await quietChain(), options)
  return {
    gateway,
    open: () => openWebSocket(gateway.wsUrl),
    openRejected: () => rejectedHandshake(gateway.wsUrl),
  }
}

const address = (number: number) => `0x${number.toString(16).padStart(40, '0')}`

it('rejects a WebSocket above the limit of a credential, and accepts one when another has closed', async () => {
  const { gateway, open, openRejected } = await gatewayWith({ maxSocketsPerCredential: 2 })
  const [first] = [await open(), await open()]
  expect(await openRejected()).toMatchObject({
    status: 429,
    headers: { 'retry-after': '5' },
    body: { error: { code: -32005, data: { reason: 'websockets', max_websockets: 2 } } },
  })
  first?.socket.close()
  await waitFor(async () => expect(await gateway.metrics()).toContain('fairlead_websockets 1\n'))
  await open()
})

it('does not count a failed handshake', async () => {
  const { gateway, open } = await gatewayWith({ maxSocketsPerCredential: 1 })
  const { text } = await sendRaw(
    gateway.port,
    `GET /ws/${token} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`,
  )
  expect(text).toMatch(/^HTTP\/1.1 400 /)
  await open()
})

it('counts the subscriptions of a credential on all of its WebSockets', async () => {
  const { open } = await gatewayWith({ maxSubscriptionsPerCredential: 3 })
  const [first, second] = [await open(), await open()]
  const id = await first.subscribe('newHeads')
  await first.subscribe('newHeads')
  await second.subscribe('logs', { address: address(1) })
  for (const { call } of [first, second]) {
    expect(await call('eth_subscribe', ['newHeads'])).toMatchObject({
      error: { code: -32005, data: { reason: 'subscriptions', max_subscriptions: 3 } },
    })
  }
  await first.call('eth_unsubscribe', [id])
  await second.subscribe('newHeads')
  second.socket.close()
  await waitFor(async () => void (await first.subscribe('newHeads')))
})

it('counts subscriptions to all logs separately', async () => {
  const { open } = await gatewayWith({ maxUnfilteredLogsPerCredential: 2 })
  const [first, second] = [await open(), await open()]
  await first.subscribe('logs')
  await second.subscribe('logs', { topics: [null, null] })
  expect(await second.call('eth_subscribe', ['logs', {}])).toMatchObject({
    error: { code: -32005, data: { reason: 'unfiltered_logs', max_subscriptions: 2 } },
  })
  await second.subscribe('logs', { address: address(1) })
  first.socket.close()
  await waitFor(async () => void (await second.subscribe('logs')))
})

it('counts the addresses and topics in the filters of a credential', async () => {
  const { open } = await gatewayWith({})
  const clients = await Promise.all(Array.from({ length: 5 }, open))
  const subscribe = (index: number, filter: number) => {
    const names = Array.from({ length: 1_000 }, (_, at) => address(filter * 1_000 + at))
    return clients[index]?.call('eth_subscribe', ['logs', { address: names }])
  }
  for (let filter = 0; filter < 65; filter++) {
    expect(await subscribe(filter % 5, filter)).toHaveProperty('result')
  }
  expect(await subscribe(0, 65)).toMatchObject({
    error: { code: -32005, data: { reason: 'filter_items', max_filter_items: 65_536 } },
  })
})

it('applies changed limits at runtime', async () => {
  const environment = { FAIRLEAD_MAX_WEBSOCKETS_PER_CREDENTIAL: '1' }
  const gateway = await gatewayFixture(environment, await quietChain())
  onTestFinished(gateway.stop)
  const url = `${gateway.url.replace('http', 'ws')}/ws/${gateway.first.token}`
  const first = await openWebSocket(url)
  expect(await rejectedHandshake(url)).toMatchObject({ status: 429 })
  gateway.apply({
    FAIRLEAD_MAX_WEBSOCKETS_PER_CREDENTIAL: '2',
    FAIRLEAD_MAX_SUBSCRIPTIONS_PER_CREDENTIAL: '1',
  })
  const second = await openWebSocket(url)
  await first.subscribe('newHeads')
  expect(await second.call('eth_subscribe', ['newHeads'])).toMatchObject({ error: { code: -32005 } })
})
