import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createSocketServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import { parseConfiguration } from '../configuration/parse-configuration.ts'
import { temporaryDatabase } from '@fairlead/platform-server/testing/temporary-store'
import { examine } from './examine.ts'
import { formatFindings } from './format-findings.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-doctor-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function findings(environment: Record<string, string>) {
  const configuration = parseConfiguration({
    FAIRLEAD_PORT: '0',
    FAIRLEAD_DATA_DIRECTORY: join(folder, 'data'),
    FAIRLEAD_UPSTREAM_TIMEOUT_MS: '1000',
    ...environment,
  })
  const found = await examine(configuration)
  return {
    found,
    text: formatFindings(found),
    of: (about: string) => found.find((finding) => finding.about === about),
  }
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** An upstream for HTTP and WebSocket that requires a token. */
async function nodeWithJwt() {
  let accepts = true
  const server = createServer((request, response) => {
    const isAllowed = accepts && /^Bearer eyJ[\w.-]+$/.test(request.headers.authorization ?? '')
    response.statusCode = isAllowed ? 200 : 401
    request.resume().on('end', () => response.end('{"jsonrpc":"2.0","id":1,"result":"0x7a69"}'))
  })
  const sockets = new WebSocketServer({
    server,
    verifyClient: ({ req }: { req: IncomingMessage }) =>
      accepts && /^Bearer eyJ[\w.-]+$/.test(req.headers.authorization ?? ''),
  })
  onTestFinished(() => sockets.close())
  return { host: await listening(server), accept: (value: boolean) => void (accepts = value) }
}

const node = (listener: RequestListener) => listening(createServer(listener))

describe('the doctor', () => {
  it('reports no problem for a node that responds', async () => {
    const host = await node((request, response) => {
      const results = { eth_chainId: '"0x7a69"', eth_syncing: 'false' }
      let body = ''
      request.on('data', (chunk) => (body += String(chunk)))
      request.on('end', () => {
        const { method } = JSON.parse(body) as { method: keyof typeof results }
        const isAllowed =
          request.headers.authorization === `Basic ${btoa('u:c4n4ry')}` && request.url === '/rpc'
        response.statusCode = isAllowed ? 200 : 401
        response.end(`{"jsonrpc":"2.0","id":1,"result":${results[method]}}`)
      })
    })
    const { found, of } = await findings({ FAIRLEAD_EVM_UPSTREAM: `http://u:c4n4ry@${host}/rpc` })
    expect(found.filter(({ state }) => state === 'problem')).toEqual([])
    expect(of('evm upstream')?.seen).toContain('chain 0x7a69')
  })

  it('sends the token of a JWT secret, and suggests a fix when the node rejects it', async () => {
    const { host, accept } = await nodeWithJwt()
    const file = join(folder, 'jwt.hex')
    await writeFile(file, `0x${'c4'.repeat(32)}`)
    const environment = {
      FAIRLEAD_EVM_UPSTREAM: `http://${host}#jwt=${file}`,
      FAIRLEAD_EVM_WEBSOCKET_UPSTREAM: `ws://${host}#jwt=${file}`,
    }
    const accepted = await findings(environment)
    expect(accepted.of('evm upstream')?.seen).toContain('chain 0x7a69')
    expect(accepted.of('websocket upstream')?.seen).toContain('accepts connections')
    accept(false)
    const rejected = await findings(environment)
    expect(rejected.of('evm upstream')).toMatchObject({ seen: 'returns status 401' })
    expect(rejected.text).toContain('jwt is the secret of this upstream')
    await rm(file)
    const without = await findings(environment)
    expect(without.of('upstreams')).toMatchObject({
      state: 'problem',
      advice: 'FAIRLEAD_EVM_UPSTREAM must have a readable file as jwt: ENOENT',
    })
    for (const { text } of [accepted, rejected, without]) expect(text).not.toMatch(/c4c4|jwt\.hex|eyJ/)
  })

  it.each([
    ['a node that refuses', 401, '{}', 'returns status 401'],
    ['something that is no node', 200, '<html>', 'returns an unexpected response'],
    [
      'a node without results',
      200,
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32601}}',
      'returns an unexpected response',
    ],
  ])('reports %s', async (_, status, body, seen) => {
    const host = await node((_request, response) => response.writeHead(status).end(body))
    const { of, text } = await findings({ FAIRLEAD_EVM_UPSTREAM: `http://${host}/c4n4ry` })
    expect(of('evm upstream')).toMatchObject({ state: 'problem', seen })
    expect(text).not.toContain('c4n4ry')
  })

  it('reports unreachable nodes of every protocol without their URLs', async () => {
    // No process gets this port by chance, and fetch does not refuse it.
    const host = '127.0.0.1:2'
    const { of, text } = await findings({
      FAIRLEAD_EVM_UPSTREAM: `http://${host}/c4n4ry`,
      FAIRLEAD_EVM_WEBSOCKET_UPSTREAM: `ws://${host}/c4n4ry`,
      FAIRLEAD_BEACON_UPSTREAM: `http://${host}/c4n4ry http://u:c4n4ry@${host}`,
      FAIRLEAD_JETTON_UPSTREAM: `http://${host}/c4n4ry`,
      FAIRLEAD_GRPC_UPSTREAM: `http://x-token:c4n4ry@${host}`,
    })
    for (const about of [
      'evm upstream',
      'websocket upstream',
      'beacon upstream 1',
      'beacon upstream 2',
      'jetton upstream',
      'grpc upstream',
    ]) {
      expect(of(about)).toMatchObject({ state: 'problem', seen: 'unreachable: ECONNREFUSED' })
    }
    expect(text).not.toContain('c4n4ry')
  })

  it('reports a port that is in use', async () => {
    const host = await listening(createSocketServer((socket) => socket.end('no HTTP\r\n')))
    const { of } = await findings({ FAIRLEAD_PORT: host.split(':')[1] ?? '' })
    expect(of('port')).toMatchObject({ state: 'problem', seen: `${host} is in use by another program` })
  })

  it('reports a database that a running gateway has locked', async () => {
    const database = await temporaryDatabase(undefined)
    onTestFinished(() => database.remove())
    await database.open()
    const { of } = await findings({ FAIRLEAD_DATA_DIRECTORY: database.dataDirectory })
    expect(of('database')?.seen).toBe('embedded, in use by a running gateway')
  })

  it('reports an unusable PostgreSQL, shared store and certificate', async () => {
    const { of, text } = await findings({
      DATABASE_URL: 'postgresql://u:c4n4ry@127.0.0.1:1/db',
      FAIRLEAD_VALKEY_URL: 'redis://u:c4n4ry@127.0.0.1:1',
      FAIRLEAD_TLS_PORT: '0',
      FAIRLEAD_TLS_CERTIFICATE_FILE: '/nowhere/certificate.pem',
      FAIRLEAD_TLS_KEY_FILE: '/nowhere/key.pem',
    })
    for (const about of ['database', 'shared store', 'TLS certificate', 'upstreams']) {
      expect(of(about)?.state).toBe('problem')
    }
    expect(text).not.toContain('c4n4ry')
  })

  it.runIf(process.env['TEST_DATABASE_URL'])('inspects a PostgreSQL without changing it', async () => {
    const { of } = await findings({ DATABASE_URL: process.env['TEST_DATABASE_URL'] ?? '' })
    expect(of('database')).toMatchObject({ state: 'warning' })
  })
})
