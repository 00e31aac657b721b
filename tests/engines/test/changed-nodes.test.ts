import { type Served, serve } from '@fairlead/e2e-tests/served'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createServer } from 'node:tls'
import { generate } from 'selfsigned'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openSocket, overHttp, resultsOf } from './rpc-client.ts'
import { DrivenGeth, type DrivenStart } from './driven-geth.ts'
import { expectFollowed, followChain } from './followed-chain.ts'
import { gethFolder } from './geth.ts'
import { canBuildGo } from './go-program.ts'

describe.skipIf(!canBuildGo)('the gateway in front of go-ethereum', () => {
  it('that restarts with another chain: closes old subscribers, serves new ones', async () => {
    const geth = await startDriven()
    await geth.chain.extend(8)
    const gateway = await gatewayOf(geth)
    const former = await followerOf(gateway)
    const [first] = await geth.chain.extend(2)
    await expect.poll(() => former.blocks()).toContain(first?.hash)

    await geth.wipe()
    await geth.chain.extend(1)
    const request = requestVia(gateway)
    await expect.poll(() => request('eth_getBlockByNumber', 'latest', false)).toMatchObject({ number: '0x1' })
    const laterFollower = await followerOf(gateway)
    const blocks = await geth.chain.extend(3)
    await expect.poll(() => laterFollower.blocks()).toEqual(blocks.map(({ hash }) => hash))
    await expect.poll(() => former.socket.closed(), { timeout: 120_000 }).toBe(1011)
    expect(laterFollower.socket.closed()).toBeUndefined()
  })

  it('that restarts with more namespaces: serves their methods, keeps subscribers connected', async () => {
    const geth = await startDriven({ namespaces: 'eth,net,web3' })
    await geth.chain.extend(2)
    const gateway = await gatewayOf(geth, { FAIRLEAD_PROBE_NODES: 'true' })
    const request = overHttp(`${gateway.url}/${gateway.token}`)
    await expect
      .poll(() => request('debug_getRawHeader', ['latest']))
      .toMatchObject({ error: { code: -32601 } })
    const follower = await followerOf(gateway)
    const [first] = await geth.chain.extend(2)
    await expectFollowed(geth, [follower], first)
    await geth.restart('SIGTERM', { namespaces: 'eth,net,web3,debug' })
    await expect
      .poll(() => request('debug_getRawHeader', ['latest']), { timeout: 120_000 })
      .toEqual({ jsonrpc: '2.0', id: 1, result: expect.stringMatching(/^0xf9/) as string })
    await geth.chain.extend(2)
    await expectFollowed(geth, [follower], first)
    expect(follower.socket.closed()).toBeUndefined()
  })

  it('with small limits: returns complete results for long ranges, batches and subscriptions', async () => {
    const limits = '--rpc.rangelimit 10 --rpc.batch-request-limit 5 --rpc.logquerylimit 3 --rpc.gascap 100000'
    const geth = await startDriven({ flags: limits.split(' ') })
    const blocks = await geth.chain.extend(60)
    const gateway = await gatewayOf(geth)
    const follower = await followerOf(gateway)
    const range = { fromBlock: '0x0', toBlock: 'latest' }
    const direct = overHttp(geth.httpUrl)
    expect(await direct('eth_getLogs', [range])).toMatchObject({
      error: { code: expect.any(Number) as number },
    })
    const logs = await requestVia(gateway)<readonly { blockHash: string }[]>('eth_getLogs', range)
    expect(logs.map(({ blockHash }) => blockHash)).toEqual(blocks.map(({ hash }) => hash))

    const batch = Array.from({ length: 20 }, (_, at) => ({
      jsonrpc: '2.0',
      id: at,
      method: 'eth_getBlockByNumber',
      params: [`0x${at.toString(16)}`, false],
    }))
    const response = await fetch(`${gateway.url}/${gateway.token}`, {
      method: 'POST',
      body: JSON.stringify(batch),
    })
    const hashes = ((await response.json()) as { result: { hash: string } }[]).map(
      ({ result }) => result.hash,
    )
    expect(hashes.slice(1)).toEqual(blocks.slice(0, 19).map(({ hash }) => hash))

    const viaGateway = overHttp(`${gateway.url}/${gateway.token}`)
    const addresses = [1, 2, 3, 4].map((digit) => `0x${digit.toString().repeat(40)}`)
    const filters = [{ ...range, fromBlock: 'latest', address: addresses }]
    const [expected, received] = [
      await direct('eth_getLogs', filters),
      await viaGateway('eth_getLogs', filters),
    ]
    expect(expected.error).toBeDefined()
    expect(received).toEqual(expected)
    // Runs until its gas is used up.
    const endless = [{ data: '0x5b5f56', gas: '0xffffff' }, 'latest']
    expect(await viaGateway('eth_call', endless)).toEqual(await direct('eth_call', endless))

    // More than one log range, within a reorganization.
    const [first] = await geth.chain.extend(14)
    await expectFollowed(geth, [follower], first)
    await geth.chain.reorganize(12)
    await expectFollowed(geth, [follower], first)
  })

  it('with pruned states: reports them as pruned, and follows the latest blocks', async () => {
    const geth = await startDriven()
    await geth.chain.extend(140)
    const gateway = await gatewayOf(geth)
    const balance = [`0x${'12'.repeat(20)}`, '0x2']
    const { error } = await overHttp(geth.httpUrl)('eth_getBalance', balance)
    expect(error).toMatchObject({ code: -32000 })
    // specs/evm/errors/history.yaml
    const { error: prunedError } = await overHttp(`${gateway.url}/${gateway.token}`)(
      'eth_getBalance',
      balance,
    )
    expect(prunedError).toEqual({ ...error, code: 4444 })
    const request = requestVia(gateway)
    expect(await request('eth_getBalance', balance[0], '0x80')).toBe('0x0')
    expect(await request('eth_getBlockByNumber', '0x2', false)).toMatchObject({ number: '0x2' })
    const follower = await followerOf(gateway)
    const [first] = await geth.chain.extend(5)
    await geth.chain.reorganize(3)
    await expectFollowed(geth, [follower], first)
  })

  it('behind TLS with a private CA: calls and subscriptions work', async () => {
    const geth = await startDriven()
    await geth.chain.extend(2)
    const http = await startTlsProxy(geth.httpUrl)
    const webSocket = await startTlsProxy(geth.webSocketUrl)
    const gateway = await gatewayOf(
      { httpUrl: `${http.url}#ca=${http.authorityFile}`, webSocketUrl: webSocket.url },
      { NODE_EXTRA_CA_CERTS: webSocket.authorityFile },
    )
    const request = requestVia(gateway)
    const before = webSocket.connections()
    const follower = await followerOf(gateway)
    expect(await request('eth_blockNumber')).toBe('0x2')
    const [first] = await geth.chain.extend(3)
    await expectFollowed(geth, [follower], first)
    expect(webSocket.connections()).toBeGreaterThan(before)
  })

  it('behind its authenticated port: calls and subscriptions work, the engine API is not offered', async () => {
    const geth = await startDriven()
    await geth.chain.extend(2)
    const { url, secretFile } = geth.authenticated
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401)
    const gateway = await gatewayOf({
      httpUrl: `${url}#jwt=${secretFile}`,
      webSocketUrl: `${url.replace('http', 'ws')}#jwt=${secretFile}`,
    })
    const follower = await followerOf(gateway)
    expect(await requestVia(gateway)('eth_blockNumber')).toBe('0x2')
    const [first] = await geth.chain.extend(3)
    await geth.chain.reorganize(2)
    await expectFollowed(geth, [follower], first)
    expect(
      await overHttp(`${gateway.url}/${gateway.token}`)('engine_exchangeCapabilities', [[]]),
    ).toMatchObject({ error: { code: -32601 } })
    expect(await follower.socket.request('engine_exchangeCapabilities', [[]])).toMatchObject({
      error: { code: -32601 },
    })
  })
})

/** Starts a TLS port in front of another port. */
async function startTlsProxy(url: string) {
  const { hostname, port, protocol } = new URL(url)
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'upstream' }], {
    keySize: 2_048,
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: hostname }] },
    ],
  })
  const folder = await gethFolder()
  const authorityFile = join(folder.path, 'authority.pem')
  await writeFile(authorityFile, cert)
  let connections = 0
  const server = createServer({ cert, key }, (socket) => {
    connections += 1
    // Either side may close the connection.
    pipeline(socket, connect(Number(port), hostname), socket).catch(() => undefined)
  }).listen(0, hostname)
  await once(server, 'listening')
  onTestFinished(async () => {
    server.close()
    await folder.remove()
  })
  const { port: proxyPort } = server.address() as AddressInfo
  return {
    url: `${protocol.replace(':', 's:')}//${hostname}:${proxyPort}`,
    authorityFile,
    connections: () => connections,
  }
}

async function startDriven(start?: DrivenStart): Promise<DrivenGeth> {
  const geth = await DrivenGeth.start(start)
  onTestFinished(() => geth.stop())
  return geth
}

async function gatewayOf(
  { httpUrl, webSocketUrl }: Pick<DrivenGeth, 'httpUrl' | 'webSocketUrl'>,
  environment: Readonly<Record<string, string>> = {},
): Promise<Served> {
  const gateway = await serve({
    FAIRLEAD_EVM_UPSTREAM: httpUrl,
    FAIRLEAD_EVM_WEBSOCKET_UPSTREAM: webSocketUrl,
    ...environment,
  })
  onTestFinished(() => gateway.remove())
  return gateway
}

const requestVia = ({ url, token }: Served) => resultsOf(overHttp(`${url}/${token}`))

async function followerOf({ url, token }: Served) {
  const socket = await openSocket(`${url.replace('http', 'ws')}/ws/${token}`)
  onTestFinished(() => socket.close())
  return followChain(socket)
}
