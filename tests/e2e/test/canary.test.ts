import { inspect } from 'node:util'
import { createFairlead, createNode, unwrap } from '@fairlead/sdk'
import { createEvmClient, createProvider, subscribe, webSocket } from '@fairlead/sdk/evm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { type Service, startService, temporaryFolder } from './service.ts'

const canary = (name: string) => `canary-${name}-7f3a91c2e5`
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let service: Service
beforeAll(async () => {
  folder = await temporaryFolder()
  service = await startService(folder.path, {
    FAIRLEAD_LOG_LEVEL: 'debug',
    FAIRLEAD_METRICS_TOKEN: canary('metrics'),
  })
})
afterAll(async () => {
  await service.end('SIGTERM')
  await folder.remove()
})

/** Every form in which a program could show an error. */
function shown(error: unknown): string {
  const { stack = '', cause } = error as Error
  return [
    String(error),
    stack,
    JSON.stringify(error),
    inspect(error, { depth: 12, showHidden: true }),
    inspect(cause),
  ].join('\n')
}

const failing = async (call: () => Promise<unknown>): Promise<string> => {
  try {
    await call()
  } catch (error) {
    return shown(error)
  }
  throw new Error('the call was meant to fail')
}

describe('secrets', () => {
  it('reach no error, output, log line, metric or answer, whatever goes right or wrong', async () => {
    const { base_url: baseUrl, api_key: apiKey, nodes } = service.file
    const [{ token, username, password, node_url: url }] = nodes
    const wrong = { key: canary('key'), token: canary('token'), password: canary('password') }
    const dead = 'http://127.0.0.1:9'
    const right = createFairlead({ baseUrl, apiKey, retries: 0 })
    const evm = right.node({ url, auth: { kind: 'token', token } }).evm
    const texts: string[] = []

    // What goes right.
    texts.push(JSON.stringify(await unwrap(right.platform.GET('/v1/organization/'))))
    texts.push(
      JSON.stringify(await evm.request({ method: 'eth_getBlockByNumber', params: ['latest', true] })),
    )
    const basic = createNode({ url, auth: { kind: 'basic', username, password } }).evm
    texts.push(await basic.request({ method: 'eth_chainId' }))

    // What goes wrong with the right secrets.
    texts.push(
      await failing(() => unwrap(right.platform.GET('/v2/projects/', { params: { query: { page: 999 } } }))),
    )
    texts.push(await failing(() => evm.request({ method: 'eth_call', params: [{ to: '0x12' }] })))
    texts.push(await failing(() => evm.request({ method: token as 'eth_chainId' })))
    texts.push(await failing(() => evm.request({ method: 'eth_getBlockByHash', params: [token] as never })))
    texts.push(await failing(() => evm.request({ method: 'eth_chainId' }, { timeoutMs: 0 })))

    // What goes wrong with wrong secrets, and where nobody listens.
    const wrongPlatform = createFairlead({ baseUrl, apiKey: wrong.key, retries: 0 }).platform
    texts.push(await failing(() => unwrap(wrongPlatform.GET('/v1/organization/'))))
    const deadPlatform = createFairlead({ baseUrl: dead, apiKey: wrong.key, retries: 0 }).platform
    texts.push(await failing(() => unwrap(deadPlatform.GET('/v1/organization/'))))
    for (const address of [url, dead]) {
      for (const auth of [
        { kind: 'token', token: wrong.token },
        { kind: 'basic', username: 'user', password: wrong.password },
      ] as const) {
        const node = createNode({ url: address, auth, retries: 0 })
        texts.push(await failing(() => node.evm.request({ method: 'eth_chainId' })))
        texts.push(await failing(() => unwrap(node.beacon.GET('/eth/v1/debug/fork_choice'))))
        const query = { address: token }
        texts.push(
          await failing(() => unwrap(node.jetton.v3.GET('/api/v3/jetton/burns', { params: { query } }))),
        )
        texts.push(
          await failing(() => node.jetton.v2.call({ method: 'getConfigParam', params: { config_id: 1 } })),
        )
      }
    }
    texts.push(
      await failing(
        async () => createNode({ url: `http://u:${wrong.password}@h`, auth: { kind: 'token', token } }).evm,
      ),
    )
    texts.push(
      await failing(async () => createNode({ url: wrong.token, auth: { kind: 'token', token } }).evm),
    )

    // The same over WebSockets, with a provider, which has errors of its own.
    const reconnect = { attempts: 0 }
    for (const [address, auth] of [
      [url, { kind: 'token', token }],
      [url, { kind: 'token', token: wrong.token }],
      [url, { kind: 'basic', username: 'user', password: wrong.password }],
      [dead, { kind: 'token', token: wrong.token }],
    ] as const) {
      // A client can only keep the secret that it knows.
      const own = auth.kind === 'token' ? auth.token : auth.password
      for (const options of [{ WebSocket }, {}]) {
        const transport = webSocket({ url: address, auth, reconnect, timeoutMs: 5_000, ...options })
        const client = createEvmClient({ transport })
        const provider = createProvider(client)
        texts.push(await failing(() => client.request({ method: own as 'eth_chainId' })))
        texts.push(await failing(() => client.request({ method: 'eth_call', params: [{ to: '0x12' }] })))
        texts.push(await failing(() => provider.request({ method: 'eth_call', params: [{ to: own }] })))
        const logs = subscribe(client, 'logs', { address: own })
        texts.push(await failing(() => logs.next()))
        transport.close()
        texts.push(await failing(() => client.request({ method: 'eth_chainId' })))
      }
    }

    // Secrets where they do not belong.
    for (const path of [
      `/v1/${token}`,
      `/v2/projects/?key=${apiKey}`,
      `/${token}/nothing/here`,
      `/beacon/${token}/eth`,
    ]) {
      const answer = await fetch(baseUrl + path, { headers: { authorization: `Bearer ${wrong.key}` } })
      texts.push(await answer.text(), inspect([...answer.headers]))
    }
    const metrics = await fetch(`${baseUrl}/metrics`, {
      headers: { authorization: `Bearer ${canary('metrics')}` },
    })
    expect(metrics.status).toBe(200)
    texts.push(await metrics.text(), service.output())

    const basicValues = [`${username}:${password}`, `user:${wrong.password}`].map((pair) => btoa(pair))
    const secrets = [apiKey, token, password, ...Object.values(wrong), canary('metrics'), ...basicValues]
    const leaks = secrets.filter((secret) => texts.some((text) => text.includes(secret)))
    expect(leaks).toEqual([])
    // The check above would also hold for an empty log.
    expect(service.output()).toContain('"node request"')
    expect(service.output()).toContain('"node websocket"')
    expect(texts.join('\n')).toContain('TRANSPORT_FAILED')
  })
})
