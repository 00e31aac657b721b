import { expect, it } from 'vitest'
import { openWebSocket } from '@fairlead/gateway-core/testing/websocket-client'
import { faultyUpstream } from '../testing/faulty-upstream.ts'
import { inFrontOf, type ListenerFixture, token } from '../testing/listener-fixture.ts'

type Send = (method: string, params: readonly unknown[]) => Promise<{ readonly result?: unknown }>

const transports: readonly (readonly [string, (gateway: ListenerFixture) => Promise<Send>])[] = [
  [
    'HTTP',
    (gateway) =>
      Promise.resolve(async (method, params) => {
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
        const response = await fetch(`${gateway.url}/${token}`, { method: 'POST', body })
        return (await response.json()) as { readonly result?: unknown }
      }),
  ],
  [
    'WebSocket',
    async (gateway) => {
      const { call } = await openWebSocket(gateway.wsUrl)
      return (method, params) => call(method, params)
    },
  ],
]

it.each(transports)(
  'all requests of a call over %s go to the upstreams with which it began',
  async (_, open) => {
    const first = await faultyUpstream('first', { chainId: '0x1' })
    const second = await faultyUpstream('second', { chainId: '0x5' })
    const gateway = await inFrontOf(`${first.url} ${second.url}#cordoned`)
    const send = await open(gateway)
    const change = async () => {
      gateway.change({ upstreams: { evm: `${first.url}#cordoned ${second.url}` } })
      const http = await transports[0]?.[1](gateway)
      expect(await http?.('eth_gasPrice', [])).toMatchObject({ result: 'second' })
    }
    let chunks = 0
    first.responses['eth_getLogs'] = async () => {
      chunks += 1
      if (chunks > 1) return { result: ['first'] }
      await change()
      return { error: { code: -32005, message: 'max block range: 10' } }
    }
    second.responses['eth_getLogs'] = { result: ['second'] }
    const logs = () => send('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x27' }])
    expect(await logs()).toMatchObject({ result: ['first', 'first', 'first', 'first'] })
    expect(await logs()).toMatchObject({ result: ['second'] })
  },
)
