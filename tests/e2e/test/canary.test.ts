import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { createBeaconClient, events, failover, getSsz, postSsz, streamForkChoice } from '@fairlead/beacon'
import { createGrpcClient } from '@fairlead/grpc'
import { GeyserDefinition, SubscribeRequest } from '@fairlead/grpc/geyser'
import { subscribeGeyser } from '@fairlead/grpc/solana'
import { createGrpcWebClient } from '@fairlead/grpc/web'
import { createFairlead, createNode, unwrap } from '@fairlead/sdk'
import { createEvmClient, createProvider, subscribe, webSocket } from '@fairlead/sdk/evm'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { canary } from './canary.ts'

const readOutput = () => readFileSync(inject('output'), 'utf8')

/** All representations in which a program could show an error. */
function formatError(error: unknown): string {
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
    return formatError(error)
  }
  throw new Error('the call was meant to fail')
}

/** Returns the URL of a node that never responds. */
async function silentUrl(): Promise<string> {
  const server = createServer(() => undefined).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await new Promise<void>((listening) => server.once('listening', listening))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const first = (items: AsyncIterable<unknown>) => items[Symbol.asyncIterator]().next()

describe('secrets', () => {
  it('appear in no error, output, log line, metric or response, on success and on failure', async () => {
    const { base_url: baseUrl, api_key: apiKey, nodes } = inject('development')
    const [{ token, username, password, node_url: url }, , , solanaNode] = nodes
    const invalid = { key: canary('key'), token: canary('token'), password: canary('password') }
    const unreachableUrl = 'http://127.0.0.1:9'
    const fairlead = createFairlead({ baseUrl, apiKey, retries: 0 })
    const evm = fairlead.node({ url, auth: { kind: 'token', token } }).evm
    const texts: string[] = []

    // Successful calls.
    texts.push(JSON.stringify(await unwrap(fairlead.platform.GET('/v1/organization/'))))
    texts.push(
      JSON.stringify(await evm.request({ method: 'eth_getBlockByNumber', params: ['latest', true] })),
    )
    const basic = createNode({ url, auth: { kind: 'basic', username, password } }).evm
    texts.push(await basic.request({ method: 'eth_chainId' }))

    // Failing calls with valid secrets.
    texts.push(
      await failing(() =>
        unwrap(fairlead.platform.GET('/v2/projects/', { params: { query: { page: 999 } } })),
      ),
    )
    texts.push(await failing(() => evm.request({ method: 'eth_call', params: [{ to: '0x12' }] })))
    texts.push(await failing(() => evm.request({ method: token as 'eth_chainId' })))
    texts.push(await failing(() => evm.request({ method: 'eth_getBlockByHash', params: [token] as never })))
    const silentNode = createNode({ url: await silentUrl(), auth: { kind: 'token', token }, retries: 0 }).evm
    texts.push(await failing(() => silentNode.request({ method: 'eth_chainId' }, { timeoutMs: 50 })))

    // Calls with wrong secrets, and calls to a port where nothing listens.
    const invalidPlatform = createFairlead({ baseUrl, apiKey: invalid.key, retries: 0 }).platform
    texts.push(await failing(() => unwrap(invalidPlatform.GET('/v1/organization/'))))
    const unreachablePlatform = createFairlead({
      baseUrl: unreachableUrl,
      apiKey: invalid.key,
      retries: 0,
    }).platform
    texts.push(await failing(() => unwrap(unreachablePlatform.GET('/v1/organization/'))))
    for (const address of [url, unreachableUrl]) {
      for (const auth of [
        { kind: 'token', token: invalid.token },
        { kind: 'basic', username: 'user', password: invalid.password },
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
        async () => createNode({ url: `http://u:${invalid.password}@h`, auth: { kind: 'token', token } }).evm,
      ),
    )
    texts.push(
      await failing(async () => createNode({ url: invalid.token, auth: { kind: 'token', token } }).evm),
    )

    // The same over WebSockets, with a provider, which has its own errors.
    const reconnect = { attempts: 0 }
    for (const [address, auth] of [
      [url, { kind: 'token', token }],
      [url, { kind: 'token', token: invalid.token }],
      [url, { kind: 'basic', username: 'user', password: invalid.password }],
      [unreachableUrl, { kind: 'token', token: invalid.token }],
    ] as const) {
      // A client can only redact the secrets that it knows.
      const credentialSecret = auth.kind === 'token' ? auth.token : auth.password
      for (const options of [{ WebSocket }, {}]) {
        const transport = webSocket({ url: address, auth, reconnect, timeoutMs: 5_000, ...options })
        const client = createEvmClient({ transport })
        const provider = createProvider(client)
        texts.push(await failing(() => client.request({ method: credentialSecret as 'eth_chainId' })))
        texts.push(await failing(() => client.request({ method: 'eth_call', params: [{ to: '0x12' }] })))
        texts.push(
          await failing(() => provider.request({ method: 'eth_call', params: [{ to: credentialSecret }] })),
        )
        const logs = subscribe(client, 'logs', { address: credentialSecret })
        texts.push(await failing(() => logs.next()))
        transport.close()
        texts.push(await failing(() => client.request({ method: 'eth_chainId' })))
      }
    }

    // The beacon client has additional ways to send a call.
    const finalized = { params: { path: { block_id: 'finalized' } } }
    for (const entry of [
      [{ url, auth: { kind: 'token', token } }],
      [{ url, auth: { kind: 'token', token: invalid.token } }],
      [{ url, auth: { kind: 'basic', username: 'user', password: invalid.password } }],
      [
        { url: unreachableUrl, auth: { kind: 'token', token: invalid.token } },
        { url: unreachableUrl, auth: { kind: 'token', token } },
      ],
    ] as const) {
      const beacon = createBeaconClient({ transport: failover(entry, { retries: 0, timeoutMs: 5_000 }) })
      const credentialSecret = entry[0].auth.kind === 'token' ? entry[0].auth.token : entry[0].auth.password
      const params = { path: { state_id: credentialSecret } }
      texts.push(inspect(beacon, { depth: 12, showHidden: true }))
      texts.push(await failing(() => unwrap(beacon.GET('/eth/v1/beacon/states/{state_id}/root', { params }))))
      texts.push(await failing(() => first(events(beacon, { topics: [credentialSecret as 'head'] }))))
      const posted = { version: 'fulu', ssz: new Uint8Array(7), json: () => ({}) as never } as const
      texts.push(await failing(() => postSsz(beacon, '/eth/v2/beacon/blocks', posted)))
      if (credentialSecret === token) {
        texts.push(inspect(await getSsz(beacon, '/eth/v2/beacon/blocks/{block_id}', finalized)))
        for await (const node of streamForkChoice(beacon)) texts.push(inspect(node))
        for await (const event of events(beacon, { topics: ['block'] })) {
          texts.push(inspect(event))
          break
        }
      } else {
        const block = () => getSsz(beacon, '/eth/v2/beacon/blocks/{block_id}', finalized)
        texts.push(await failing(block), await failing(() => first(streamForkChoice(beacon))))
      }
    }

    // Both families of the jetton chain, where only the response shows whether an address is right.
    for (const auth of [
      { kind: 'token', token },
      { kind: 'basic', username, password },
    ] as const) {
      const { v2, v3 } = createNode({ url, auth, retries: 0 }).jetton
      const address = { query: { address: token } }
      texts.push(inspect([v2, v3], { depth: 12, showHidden: true }))
      texts.push(inspect(await v2.call({ method: 'getConfigParam', params: { config_id: 15 } })))
      texts.push(inspect(await unwrap(v3.GET('/api/v3/jetton/masters'))))
      texts.push(
        await failing(() => v2.call({ method: 'getAddressBalance', params: { address: token } })),
        await failing(() => v2.call({ method: 'runGetMethod', params: { [token]: password } as never })),
        await failing(() => v2.call({ method: token as 'getMasterchainInfo' })),
        await failing(() => unwrap(v2.GET('/api/v2/getAddressBalance', { params: address }))),
        await failing(() => unwrap(v2.POST('/api/v2/sendBoc', { body: { boc: password } }))),
        await failing(() => unwrap(v3.GET('/api/v3/jetton/burns', { params: address }))),
        await failing(() => unwrap(v3.POST('/api/v3/message', { body: { boc: token } }))),
      )
    }

    // The Solana chain has a separate token, which is sent as metadata.
    const { grpc_url: grpcUrl, x_token: xToken } = solanaNode
    for (const address of [grpcUrl, unreachableUrl]) {
      for (const usedToken of [xToken, invalid.token]) {
        const options = { url: address, auth: { kind: 'x-token', token: usedToken }, retries: 0 } as const
        const clients = [
          createGrpcClient(GeyserDefinition, options),
          createGrpcWebClient(GeyserDefinition, options),
        ]
        for (const client of clients) {
          const duplex = client === clients[0]
          texts.push(inspect(client, { depth: 12, showHidden: true }))
          const slot = client.getSlot({}, { onHeaders: (headers) => texts.push(inspect(headers)) })
          const isValid = usedToken === xToken && address === grpcUrl
          texts.push(isValid ? inspect(await slot) : await failing(() => slot))
          const key = { all: { account: [usedToken] } }
          texts.push(
            inspect(await client.isBlockhashValid({ blockhash: usedToken }).catch(formatError)),
            await failing(() => first(client.subscribe([SubscribeRequest.fromPartial({ accounts: key })]))),
            await failing(() => client.getSlot({}, { timeoutMs: 0 })),
            await failing(() => client.getSlot({}, { metadata: { 'X-Wrong': usedToken } })),
            await failing(async () => subscribeGeyser(client, { accounts: key })),
          )
          const blocks = { blocksMeta: { all: {} } }
          const noRetry = { maxAttempts: 0 }
          const stream = subscribeGeyser(client, blocks, { duplex, reconnect: noRetry })
          texts.push(inspect(stream, { depth: 12, showHidden: true }))
          texts.push(isValid ? inspect(await first(stream)) : await failing(() => first(stream)))
          await stream.return()
          await client.close()
          texts.push(await failing(() => client.getSlot({})))
        }
      }
    }
    for (const path of ['/geyser.Geyser/GetSlot', `/${xToken}/GetSlot`, `/geyser.Geyser/${xToken}`]) {
      const headers = {
        'content-type': 'application/grpc-web+proto',
        'x-token': invalid.token,
        authorization: `Bearer ${xToken}`,
      }
      const response = await fetch(grpcUrl + path, { method: 'POST', headers, body: xToken })
      texts.push(await response.text(), inspect([...response.headers]))
    }

    // Secrets in places where they do not belong.
    for (const path of [
      `/v1/${token}`,
      `/v2/projects/?key=${apiKey}`,
      `/${token}/nothing/here`,
      `/beacon/${token}/eth`,
      `/beacon/${token}/eth/v1/events?topics=${token}`,
      `/beacon/${token}/eth/v2/beacon/blocks/${token}`,
      `/beacon/eth/v1/beacon/states/${invalid.token}/root?id=${invalid.password}`,
      `/${token}/api`,
      `/${token}/api/v2/${token}`,
      `/${token}/api/v2/getConfigParam?config_id=${token}&api_key=${apiKey}`,
      `/${token}/api/v3/jetton/burns?address=${token}&sort=${password}`,
      `/api/v3/jetton/burns?address=${invalid.token}&api_key=${invalid.key}`,
    ]) {
      const response = await fetch(baseUrl + path, { headers: { authorization: `Bearer ${invalid.key}` } })
      texts.push(await response.text(), inspect([...response.headers]))
    }
    const metrics = await fetch(`${baseUrl}/metrics`, {
      headers: { authorization: `Bearer ${canary('metrics')}` },
    })
    expect(metrics.status).toBe(200)
    texts.push(await metrics.text(), readOutput())

    const basicValues = [`${username}:${password}`, `user:${invalid.password}`].map((credentials) =>
      btoa(credentials),
    )
    const secrets = [
      apiKey,
      token,
      xToken,
      password,
      ...Object.values(invalid),
      canary('traces'),
      canary('metrics'),
      ...basicValues,
    ]
    const leaks = secrets.filter((secret) => texts.some((text) => text.includes(secret)))
    expect(leaks).toEqual([])
    // The check above would also pass for an empty log.
    expect(readOutput()).toContain('"node request"')
    expect(readOutput()).toContain('"node websocket"')
    expect(texts.join('\n')).toContain('TRANSPORT_FAILED')
    for (const status of ['UNAUTHENTICATED', 'UNAVAILABLE', 'INVALID_ARGUMENT']) {
      expect(texts.join('\n')).toContain(status)
    }
  })
})
