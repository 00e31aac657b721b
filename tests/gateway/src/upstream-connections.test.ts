import { once } from 'node:events'
import { createServer, type LookupFunction } from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { MemoryLedger } from '@fairlead/gateway-core/memory/memory-ledger'
import { createGrpcUpstreams } from '@fairlead/gateway-grpc/upstream/grpc-upstreams'
import { beaconFormat } from '@fairlead/gateway-beacon/http/beacon-format'
import { jettonFormat } from '@fairlead/gateway-jetton/http/jetton-format'
import { createRestUpstream } from '@fairlead/gateway-core/rest/rest-upstream'
import { createWebSocketUpstream } from '@fairlead/gateway-evm/upstream/websocket-upstream'
import { createEvmUpstream } from '@fairlead/gateway-evm/upstream/evm-upstream'
import { reservePort } from '@fairlead/vitest/reserved-port'
import { gatewayFixture } from './gateway-fixture.ts'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { pino } from 'pino'
import type { ConnectionRules } from '@fairlead/gateway-core/network/guarded-connect'
import { createUpstreamRules } from '@fairlead/gateway-core/network/upstream-rules'

const request = {
  headers: { ':method': 'POST', ':path': '/a.B/C' },
  tenant: { organizationId: 'organization', projectId: 'project', credentialId: 'credential' },
}

const timeoutMs = 2_000
let connections = 0
let port = 0
const server = createServer((socket) => {
  connections += 1
  socket.destroy()
})

beforeEach(async () => {
  connections = 0
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterEach(() => new Promise((resolve) => server.close(resolve)))

const rejection = (call: Promise<unknown>) =>
  call.then(
    () => 'no error',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )

/** One call over each protocol. Resolves with the message of its failure. */
const protocols: Readonly<Record<string, (host: string, rules: ConnectionRules) => Promise<string>>> = {
  evm: async (host, rules) => {
    const upstream = createEvmUpstream(`http://${host}`, timeoutMs, new MemoryLedger(1_000_000), { rules })
    const failure = await rejection(upstream.call('eth_chainId', [], AbortSignal.timeout(timeoutMs)))
    await upstream.close()
    return failure
  },
  'evm over TLS': async (host, rules) => {
    const upstream = createEvmUpstream(`https://${host}`, timeoutMs, new MemoryLedger(1_000_000), { rules })
    const failure = await rejection(upstream.call('eth_chainId', [], AbortSignal.timeout(timeoutMs)))
    await upstream.close()
    return failure
  },
  beacon: async (host, rules) => {
    const upstream = createRestUpstream(`http://${host}`, timeoutMs, beaconFormat, rules)
    const signal = AbortSignal.timeout(timeoutMs)
    const call = {
      method: 'GET',
      target: '/eth/v1/node/version',
      headers: {},
      tenant: undefined,
      signal,
    } as const
    const failure = await rejection(upstream.request(call))
    await upstream.close()
    return failure
  },
  jetton: async (host, rules) => {
    const upstream = createRestUpstream(`http://${host}`, timeoutMs, jettonFormat, rules)
    const signal = AbortSignal.timeout(timeoutMs)
    const call = {
      method: 'GET',
      target: '/api/v2/getMasterchainInfo',
      headers: {},
      tenant: undefined,
      signal,
    } as const
    const failure = await rejection(upstream.request(call))
    await upstream.close()
    return failure
  },
  grpc: async (host, rules) => {
    const nodes = createGrpcUpstreams({
      connectTimeoutMs: timeoutMs,
      embedded: undefined,
      upstreamRules: { of: () => rules },
    })
    const grant = { upstreams: { grpc: `http://${host}` } } as unknown as Grant
    const failure = await rejection(nodes.of(grant).current.open(request))
    await nodes.close()
    return failure
  },
  'grpc over TLS': async (host, rules) => {
    const nodes = createGrpcUpstreams({
      connectTimeoutMs: timeoutMs,
      embedded: undefined,
      upstreamRules: { of: () => rules },
    })
    const grant = { upstreams: { grpc: `https://${host}` } } as unknown as Grant
    const failure = await rejection(nodes.of(grant).current.open(request))
    await nodes.close()
    return failure
  },
  websocket: async (host, rules) => {
    const socket = createWebSocketUpstream(
      [{ address: `ws://${host}` }],
      timeoutMs,
      pino({ level: 'silent' }),
      {
        rules: { of: () => rules },
      },
    )
    const failure = await new Promise<string>((resolve) => {
      const onFailure = ({ message }: Error) => resolve(message)
      socket.subscribe(['newHeads'], { onLive: () => undefined, onResult: () => undefined, onFailure })
    })
    socket.close()
    return failure
  },
}

const names = Object.keys(protocols)
const rebound: LookupFunction = (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }])
const gatewayAddresses = { urls: () => [`http://127.0.0.1:${port}`] }

it.each(names)('%s connects to no address that is not allowed', async (name) => {
  const call = protocols[name]
  const rules = { isPrivateAllowed: false, resolve: rebound }
  for (const host of ['127.0.0.1', '[::ffff:7f00:1]', 'node.example']) {
    expect(await call?.(`${host}:${port}`, rules)).toMatch(/The upstream is unreachable\.$/)
  }
  expect(connections).toBe(0)
})

it.each(names)('%s does not connect to the gateway itself', async (name) => {
  const call = protocols[name]
  const rules = { isPrivateAllowed: true, resolve: rebound, gateway: gatewayAddresses }
  for (const host of ['127.0.0.1', '[::ffff:7f00:1]', 'node.example', 'localhost']) {
    expect(await call?.(`${host}:${port}`, rules)).toMatch(/The upstream is unreachable\.$/)
  }
  expect(connections).toBe(0)
})

it.each(names)('%s connects where it is allowed', async (name) => {
  await protocols[name]?.(`node.example:${port}`, { isPrivateAllowed: true, resolve: rebound })
  expect(connections).toBeGreaterThan(0)
})

it('allows private addresses of the configuration while they are configured', () => {
  const policy = { privateUpstreams: false, configured: new Set(['http://10.0.0.1']) }
  const rules = createUpstreamRules(policy, gatewayAddresses)
  const [configured, unconfigured] = [rules.of('http://10.0.0.1'), rules.of('http://10.0.0.2')]
  expect([configured.isPrivateAllowed, unconfigured.isPrivateAllowed]).toEqual([true, false])
  policy.configured = new Set()
  expect([configured.isPrivateAllowed, unconfigured.isPrivateAllowed]).toEqual([false, false])
  policy.privateUpstreams = true
  expect([configured.isPrivateAllowed, unconfigured.isPrivateAllowed]).toEqual([true, true])
})

it('sends no call to itself through an upstream URL that leads back', async () => {
  const ownPort = await reservePort()
  const gateway = await gatewayFixture(
    { FAIRLEAD_PORT: String(ownPort) },
    `http://[::ffff:7f00:1]:${ownPort}/token`,
  )
  try {
    const response = await fetch(`${gateway.url}/${gateway.first.token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["0x00"]}',
    })
    expect(response.status).toBe(502)
    // One line for the failed request. Each nested request would add its own.
    expect(gateway.log().split('"node request"')).toHaveLength(2)
  } finally {
    await gateway.stop()
  }
})
