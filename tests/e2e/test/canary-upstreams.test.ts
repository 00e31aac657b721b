import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { type ServerProcess, startProcess, temporaryFolder } from './gateway.ts'

const canary = (name: string) => `canary-${name}-5b1d07e94c`
const names = ['dead', 'alive', 'path', 'query', 'socket', 'beacon', 'jetton', 'grpc', 'traces', 'metrics']
const secretKey = 'c4'.repeat(32)

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let gateway: ServerProcess
let node: Server
let receiver: Server
let traces = ''
beforeAll(async () => {
  // Includes the request in every error, as some nodes do.
  node = await listening(
    createServer((request, response) => {
      const message = `refused: ${inspect(request.headers)} at ${request.url}`
      request.resume().once('end', () => {
        const isRest = /\/(?:eth|api)\//.test(request.url ?? '')
        response.writeHead(isRest ? 500 : 200, { 'content-type': 'application/json' })
        const rpc = {
          jsonrpc: '2.0',
          id: 1,
          error: { code: -32000, message, data: { message }, url: request.url },
        }
        const restError = { ok: false, code: 500, message, error: message }
        response.end(JSON.stringify(isRest ? restError : rpc))
      })
    }),
  )
  receiver = await listening(
    createServer((request, response) => {
      request
        .on('data', (bytes: Buffer) => (traces += bytes.toString('latin1')))
        .once('end', () => response.end())
    }),
  )
  const urlWith = (secretName: string, to = hostOf(node)) => `http://user:${canary(secretName)}@${to}`
  folder = await temporaryFolder()
  gateway = await startProcess('serve', folder.path, {
    FAIRLEAD_LOG_LEVEL: 'debug',
    FAIRLEAD_SECRET_KEY: secretKey,
    FAIRLEAD_METRICS_TOKEN: canary('metrics'),
    FAIRLEAD_EVM_UPSTREAM: `${urlWith('dead', '127.0.0.1:9')} ${urlWith('alive')}/${canary('path')}?key=${canary('query')}#weight=2`,
    FAIRLEAD_EVM_WEBSOCKET_UPSTREAM: urlWith('socket').replace('http', 'ws'),
    FAIRLEAD_BEACON_UPSTREAM: urlWith('beacon'),
    FAIRLEAD_JETTON_UPSTREAM: urlWith('jetton'),
    FAIRLEAD_GRPC_UPSTREAM: `http://x-token:${canary('grpc')}@127.0.0.1:9`,
    FAIRLEAD_TRACING_ENDPOINT: `${urlWith('traces', hostOf(receiver))}/v1/traces`,
    FAIRLEAD_TRACING_RATIO: '1',
  })
}, 60_000)
afterAll(async () => {
  for (const server of [node, receiver]) server.close().closeAllConnections()
  await folder.remove()
})

async function listening(server: Server): Promise<Server> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server
}

function hostOf(server: Server): string {
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

function* filesBelow(directory: string): Generator<string> {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name)
    if (statSync(path).isDirectory()) yield* filesBelow(path)
    else yield path
  }
}

it('the credentials of upstreams appear in no response, log line, metric, trace, report or file', async () => {
  await vi.waitFor(() => expect(gateway.output()).toContain('x-token'), { timeout: 20_000 })
  const startOutput = gateway.output()
  const printedValue = (name: string) => new RegExp(`${name} +(\\S+)`).exec(startOutput)?.[1] ?? ''
  const [url, apiKey, token, password, xToken] = [
    'running at',
    'API key',
    'token',
    'password',
    'x-token',
  ].map(printedValue)
  const texts: string[] = []
  const get = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(url + path, init)
    texts.push(await response.text(), inspect([...response.headers]))
    return response.status
  }
  const call = (method: string, ...params: unknown[]) => ({ jsonrpc: '2.0', id: 1, method, params })
  const post = (path: string, body: unknown, headers = {}) =>
    get(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })

  for (const request of [
    call('eth_chainId'),
    call('eth_getLogs', { fromBlock: '0x1' }),
    call('trace_block', '0x1'),
  ]) {
    await post(`/${token}`, request)
    await post(`/${token}`, [request, call(token ?? ''), request])
    await post(`/${canary('unknown')}`, request)
  }
  await post(`/${token}`, call('eth_sendRawTransaction', '0x12'))
  await get(`/beacon/${token}/eth/v1/node/version`)
  await get(`/${token}/api/v2/getMasterchainInfo`)
  await get(`/${token}/api/v2/getAddressInformation?address=${token}`)
  await post(`/${token}/api/v2/jsonRPC`, call('getMasterchainInfo'))
  await post('/geyser.Geyser/GetSlot', '', {
    'content-type': 'application/grpc-web+proto',
    'x-token': xToken,
  })
  const socket = new WebSocket(`${url?.replace('http', 'ws')}/ws/${token}`)
  await once(socket, 'open')
  for (const request of [
    call('eth_chainId'),
    call('eth_subscribe', 'newHeads'),
    call('eth_subscribe', 'logs', {}),
  ]) {
    socket.send(JSON.stringify(request))
    texts.push(String(await once(socket, 'message')))
  }
  socket.close()
  await get('/v2/reporting/node-usage/', { headers: { authorization: `Bearer ${apiKey}` } })
  await get('/v2/nodes/', { headers: { authorization: `Bearer ${apiKey}` } })
  expect(await get('/metrics', { headers: { authorization: `Bearer ${canary('metrics')}` } })).toBe(200)
  await vi.waitFor(() => expect(traces).toContain('eth_chainId'), { timeout: 20_000 })
  expect(await gateway.end('SIGTERM')).toBe(0)

  const log = gateway.output().slice(startOutput.length)
  const secrets = [
    ...names.map(canary),
    canary('unknown'),
    secretKey,
    apiKey,
    token,
    password,
    xToken,
    'dXNlcjpjYW5hcn',
  ]
  const leaksOf = (text: string) =>
    secrets.filter((secret) => secret === undefined || secret === '' || text.includes(secret))
  expect(texts.join('\n')).toContain('refused: ')
  expect(log).toContain('"node request"')
  expect({ responses: leaksOf(texts.join('\n')), log: leaksOf(log), traces: leaksOf(traces) }).toEqual({
    responses: [],
    log: [],
    traces: [],
  })
  // URLs are encrypted at rest in the records, and of credentials only hashes are stored.
  const files = [...filesBelow(join(folder.path, '.fairlead'))]
  expect(files.length).toBeGreaterThan(0)
  expect(files.filter((file) => leaksOf(readFileSync(file, 'latin1')).length > 0)).toEqual([])
}, 60_000)
