import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, credentials, Metadata, status, type StatusObject } from '@grpc/grpc-js'
import { sql } from 'kysely'
import { generate } from 'selfsigned'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { grpcJs } from '@fairlead/gateway-grpc/testing/grpc-js-client'
import { startGrpcNode, type TestNode } from '@fairlead/gateway-grpc/testing/grpc-node'
import { type GatewayFixture, gatewayFixture } from './gateway-fixture.ts'
import { waitFor } from '@fairlead/vitest/wait-for'
import { parseConfiguration, startGateway } from '@fairlead/gateway'
import { pino } from 'pino'

const chainId = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'

let directory: string
let node: TestNode
let gateway: GatewayFixture
let certificate: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fairlead-grpc-'))
  const pair = await generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'ec' })
  certificate = pair.cert
  const [certFile, keyFile] = [join(directory, 'cert.pem'), join(directory, 'key.pem')]
  await Promise.all([writeFile(certFile, pair.cert), writeFile(keyFile, pair.private)])
  node = await startGrpcNode()
  gateway = await gatewayFixture(
    {
      FAIRLEAD_GRPC_RULES: '/test.Test/Join=deny',
      FAIRLEAD_TLS_PORT: '0',
      FAIRLEAD_TLS_CERTIFICATE_FILE: certFile,
      FAIRLEAD_TLS_KEY_FILE: keyFile,
      FAIRLEAD_LOG_REQUESTS: 'all',
    },
    'http://127.0.0.1:9',
    { grpc: node.url },
  )
}, 60_000)

afterAll(async () => {
  await gateway.stop()
  await node.stop()
  await rm(directory, { recursive: true })
})

const xToken = () => gateway.first.xToken ?? ''

/** Successful gRPC calls so far, as counted by two metrics. */
async function counts(): Promise<readonly [calls: number, requests: number]> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text()
  const calls = /fairlead_grpc_calls_total\{method="unknown",status="OK"} (\d+)/.exec(text)?.[1]
  const requests = /fairlead_node_requests_total\{protocol="grpc",method="unknown",status="2xx"} (\d+)/.exec(
    text,
  )?.[1]
  return [Number(calls ?? 0), Number(requests ?? 0)]
}

it('serves gRPC on the plain port, with a separate x-token', async () => {
  expect(xToken()).toMatch(/^[0-9a-f]{32}$/)
  const [callsBefore, requestsBefore] = await counts()
  const client = grpcJs(gateway.url, xToken())
  expect(await client.one('a')).toMatchObject({ messages: ['one a'], status: { code: 0 } })
  expect((await client.join(['a'])).status.code).toBe(status.PERMISSION_DENIED)
  for (const token of [gateway.first.token, `${gateway.first.username}:${gateway.first.password}`]) {
    expect((await grpcJs(gateway.url, token).one('a')).status.code).toBe(status.UNAUTHENTICATED)
  }
  expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200)
  expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200)
  const asJsonRpc = await fetch(`${gateway.url}/${xToken()}`, { method: 'POST', body: chainId })
  expect(asJsonRpc.status).toBe(401)
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text()
  expect(await counts()).toEqual([callsBefore + 1, requestsBefore + 1])
  expect(metrics).toContain('fairlead_node_credentials 3')
})

it('serves the same on the TLS port', async () => {
  const { tlsUrl = '' } = gateway
  const client = new Client(
    new URL(tlsUrl).host,
    credentials.createSsl(Buffer.from(certificate), null, null, { checkServerIdentity: () => undefined }),
    { 'grpc.ssl_target_name_override': 'localhost' },
  )
  onTestFinished(() => client.close())
  const metadata = new Metadata()
  metadata.set('x-token', xToken())
  const end = await new Promise<StatusObject>((resolve) =>
    client
      .makeUnaryRequest('/test.Test/One', Buffer.from, String, 'a', metadata, () => undefined)
      .on('status', resolve),
  )
  expect(end.code).toBe(0)
})

it('ends a stream within a second when its credential is revoked in the database', async () => {
  const { call, messages, ended: finalStatus } = grpcJs(gateway.url, xToken()).echo()
  call.write('a')
  await waitFor(() => messages.length === 1)
  const revoke = (revoked_at: ReturnType<typeof sql<string>> | null) =>
    gateway.store.db
      .updateTable('node_credentials')
      .set({ revoked_at })
      .where('kind', '=', 'x-token')
      .execute()
  await revoke(sql<string>`clock_timestamp()`)
  const timeout = new Promise((resolve) => setTimeout(() => resolve('late'), 1_000))
  expect(await Promise.race([finalStatus, timeout])).toMatchObject({
    status: { code: status.UNAUTHENTICATED },
  })
  await revoke(null)
  await waitFor(async () => expect((await grpcJs(gateway.url, xToken()).one('a')).status.code).toBe(0))
})

it('is not ready while the embedded chain is unreachable', async () => {
  const separate = await startGateway(
    parseConfiguration({ FAIRLEAD_PORT: '0', FAIRLEAD_PROBE_NODES: 'false' }),
    {
      store: gateway.store,
      log: pino({ level: 'silent' }),
      embedded: { grpc: 'http://127.0.0.1:9' },
    },
  )
  const response = await fetch(`${separate.url}/readyz`)
  expect([response.status, await response.text()]).toEqual([503, 'an embedded chain does not respond\n'])
  await separate.stop()
})

it('does not start with invalid rules', async () => {
  const configuration = parseConfiguration({ FAIRLEAD_PORT: '0', FAIRLEAD_GRPC_RULES: 'c4n4ry' })
  const starting = startGateway(configuration, { store: gateway.store, log: pino({ level: 'silent' }) })
  await expect(starting).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    details: { option: 'FAIRLEAD_GRPC_RULES', rule: expect.not.stringContaining('c4n4ry') },
  })
})

it('no response, log or metric reveals an x-token', async () => {
  const invalidToken = `${xToken()}x`
  let output = ''
  for (const token of [xToken(), invalidToken]) {
    const client = grpcJs(gateway.url, token)
    client.metadata.set('authorization', token)
    for (const path of [
      '/test.Test/One',
      '/test.Test/None',
      `/${token}`,
      `/${token}/One`,
      `/test.Test/${token}`,
    ]) {
      for (const request of ['a', 'fail x']) output += JSON.stringify(await client.one(request, path))
      const headers = { 'content-type': 'application/grpc-web+proto', 'x-token': token }
      const response = await fetch(`${gateway.url}${path}`, { method: 'POST', body: '', headers })
      output += `${JSON.stringify([...response.headers])}${await response.text()}`
    }
  }
  output += await (await fetch(`${gateway.url}/metrics`)).text()
  expect(output).toContain('"code":16')
  expect(gateway.log()).toContain('"status":"UNAUTHENTICATED"')
  expect(`${output}${gateway.log()}`.includes(xToken())).toBe(false)
  expect(`${output}${gateway.log()}`.includes(new URL(node.url).host)).toBe(false)
})
