import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { type ServiceProcess, startProcess, temporaryFolder } from './service.ts'

const canary = (name: string) => `canary-${name}-5b1d07e94c`
const names = ['dead', 'alive', 'path', 'query', 'socket', 'beacon', 'jetton', 'grpc', 'traces', 'metrics']
const secretKey = 'c4'.repeat(32)

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let service: ServiceProcess
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
        const rest = { ok: false, code: 500, message, error: message }
        response.end(JSON.stringify(isRest ? rest : rpc))
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
  const at = (own: string, to = hostOf(node)) => `http://user:${canary(own)}@${to}`
  folder = await temporaryFolder()
  service = await startProcess('serve', folder.path, {
    FAIRLEAD_LOG_LEVEL: 'debug',
    FAIRLEAD_SECRET_KEY: secretKey,
    FAIRLEAD_METRICS_TOKEN: canary('metrics'),
    FAIRLEAD_EVM_UPSTREAM: `${at('dead', '127.0.0.1:9')} ${at('alive')}/${canary('path')}?key=${canary('query')}#weight=2`,
    FAIRLEAD_EVM_WEBSOCKET_UPSTREAM: at('socket').replace('http', 'ws'),
    FAIRLEAD_BEACON_UPSTREAM: at('beacon'),
    FAIRLEAD_JETTON_UPSTREAM: at('jetton'),
    FAIRLEAD_GRPC_UPSTREAM: `http://x-token:${canary('grpc')}@127.0.0.1:9`,
    FAIRLEAD_TRACING_ENDPOINT: `${at('traces', hostOf(receiver))}/v1/traces`,
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

it('what opens the nodes stands in no answer, log line, metric, trace, report or file', async () => {
  await vi.waitFor(() => expect(service.output()).toContain('x-token'), { timeout: 20_000 })
  const shownOnce = service.output()
  const said = (name: string) => new RegExp(`${name} +(\\S+)`).exec(shownOnce)?.[1] ?? ''
  const [url, apiKey, token, password, xToken] = [
    'running at',
    'API key',
    'token',
    'password',
    'x-token',
  ].map(said)
  const texts: string[] = []
  const ask = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(url + path, init)
    texts.push(await answer.text(), inspect([...answer.headers]))
    return answer.status
  }
  const call = (method: string, ...params: unknown[]) => ({ jsonrpc: '2.0', id: 1, method, params })
  const post = (path: string, body: unknown, headers = {}) =>
    ask(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })

  for (const asked of [
    call('eth_chainId'),
    call('eth_getLogs', { fromBlock: '0x1' }),
    call('trace_block', '0x1'),
  ]) {
    await post(`/${token}`, asked)
    await post(`/${token}`, [asked, call(token ?? ''), asked])
    await post(`/${canary('unknown')}`, asked)
  }
  await post(`/${token}`, call('eth_sendRawTransaction', '0x12'))
  await ask(`/beacon/${token}/eth/v1/node/version`)
  await ask(`/${token}/api/v2/getMasterchainInfo`)
  await ask(`/${token}/api/v2/getAddressInformation?address=${token}`)
  await post(`/${token}/api/v2/jsonRPC`, call('getMasterchainInfo'))
  await post('/geyser.Geyser/GetSlot', '', {
    'content-type': 'application/grpc-web+proto',
    'x-token': xToken,
  })
  const socket = new WebSocket(`${url?.replace('http', 'ws')}/ws/${token}`)
  await once(socket, 'open')
  for (const asked of [
    call('eth_chainId'),
    call('eth_subscribe', 'newHeads'),
    call('eth_subscribe', 'logs', {}),
  ]) {
    socket.send(JSON.stringify(asked))
    texts.push(String(await once(socket, 'message')))
  }
  socket.close()
  await ask('/v2/reporting/node-usage/', { headers: { authorization: `Bearer ${apiKey}` } })
  await ask('/v2/nodes/', { headers: { authorization: `Bearer ${apiKey}` } })
  expect(await ask('/metrics', { headers: { authorization: `Bearer ${canary('metrics')}` } })).toBe(200)
  await vi.waitFor(() => expect(traces).toContain('eth_chainId'), { timeout: 20_000 })
  expect(await service.end('SIGTERM')).toBe(0)

  const log = service.output().slice(shownOnce.length)
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
  expect({ answers: leaksOf(texts.join('\n')), log: leaksOf(log), traces: leaksOf(traces) }).toEqual({
    answers: [],
    log: [],
    traces: [],
  })
  // URLs are encrypted at rest in the records, and of credentials only hashes are stored.
  const files = [...filesBelow(join(folder.path, '.fairlead'))]
  expect(files.length).toBeGreaterThan(0)
  expect(files.filter((file) => leaksOf(readFileSync(file, 'latin1')).length > 0)).toEqual([])
}, 60_000)
