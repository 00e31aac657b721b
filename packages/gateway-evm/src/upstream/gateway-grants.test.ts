import type { ServerResponse } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { createDirectory, staleGrants } from '@fairlead/gateway-core/authentication/directory'
import { gatewayGrant } from '@fairlead/gateway-core/grants/grant'
import { MemoryLedger } from '@fairlead/gateway-core/memory/memory-ledger'
import { grantWith } from '@fairlead/gateway-core/testing/limited-grant'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import { pino } from 'pino'
import { createMethodProber } from '../probe/method-prober.ts'
import { createEvmUpstreams } from './evm-upstreams.ts'

/** Starts an upstream with a head until the running test ends, and records the methods of its calls. */
async function upstreamWith(head: string) {
  const methods: string[] = []
  const onCall: { current: (method: string) => void } = { current: () => undefined }
  const url = await startTestNode(async (request, response: ServerResponse) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const { id, method } = JSON.parse(body) as { id: unknown; method: string }
    methods.push(method)
    onCall.current(method)
    const hash = `0x${'1'.padStart(64, '0')}`
    const block = { number: head, hash, parentHash: hash, timestamp: '0x1', transactions: [] }
    const results: Readonly<Record<string, unknown>> = {
      eth_chainId: '0x1',
      eth_gasPrice: head,
      eth_getBlockByNumber: block,
    }
    const missing = { error: { code: -32601, message: `the method ${method} does not exist` } }
    const outcome = method in results ? { result: results[method] } : missing
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }))
  })
  return { url, methods, onCall }
}

/** The upstreams of a node with one credential, whose list of upstreams changes. */
function nodeWithList() {
  const directory = createDirectory()
  const isStale = staleGrants(directory)
  const upstreams = createEvmUpstreams(5_000, {}, new MemoryLedger(2 ** 24), { pollMs: 50, isStale })
  onTestFinished(() => upstreams.close())
  const nodeOf = (evm: string) => grantWith({ upstreams: { evm } })
  return {
    upstreams,
    /** The node in the database with a list. */
    gatewayGrantOf: (evm: string) => gatewayGrant(nodeOf(evm)),
    /** Puts a list into the directory. */
    put: (evm: string) => directory.replace([{ sha256: 'ab'.repeat(32), grant: nodeOf(evm) }]),
    /** The list, how often it was replaced, and the result of a client's call. */
    clientCall: async () => {
      const grant = directory.current('credential')
      if (!grant) throw new Error('The directory has no such credential.')
      const upstream = upstreams.of(grant, 'evm')
      const { text, version } = upstream.list ?? {}
      return [text, version, await upstream.call('eth_gasPrice', [], AbortSignal.timeout(5_000))]
    },
  }
}

it('the states are those of the list in the database, also before a client call', async () => {
  const [a, b] = [await upstreamWith('0xa'), await upstreamWith('0xb')]
  const { upstreams, gatewayGrantOf, put, clientCall } = nodeWithList()
  const idsOf = (evm: string) => upstreams.statesOf(gatewayGrantOf(evm)).map(({ id }) => id)
  put(a.url)
  await clientCall()
  const [idOfA] = idsOf(a.url)
  // The database is ahead of the directory.
  const [idOfB, second] = idsOf(`${b.url} ${a.url}`)
  expect([second, idOfB === idOfA]).toEqual([idOfA, false])
  expect(await clientCall()).toEqual([a.url, 0, '0xa'])
  // No client has used the new list.
  put(`${b.url} ${a.url}`)
  expect(idsOf(`${b.url} ${a.url}`)).toEqual([idOfB, idOfA])
  // The read of the database was slower than the directory.
  await clientCall()
  expect(idsOf(a.url)).toEqual([idOfA])
  expect(await clientCall()).toEqual([`${b.url} ${a.url}`, 1, expect.stringMatching(/^0x[ab]$/)])
})

it('the health of a new list is checked before a client call', async () => {
  const [a, b] = [await upstreamWith('0xa'), await upstreamWith('0xb')]
  const { upstreams, gatewayGrantOf, put, clientCall } = nodeWithList()
  put(a.url)
  await clientCall()
  put(b.url)
  await expect
    .poll(() => upstreams.statesOf(gatewayGrantOf(b.url)), { timeout: 5_000 })
    .toMatchObject([{ class: 'ready', head: 11 }])
})

/** Probes the methods of a list, and returns the records. */
async function probe({ upstreams, gatewayGrantOf }: ReturnType<typeof nodeWithList>, evm: string) {
  const recorded: string[] = []
  const prober = createMethodProber(upstreams, pino({ enabled: false }), 5_000)
  const store = {
    nodes: () => Promise.resolve([]),
    delete: () => Promise.resolve(),
    record: (_: unknown, findings: readonly { method: string; available: boolean }[]) => {
      recorded.push(...findings.filter(({ available }) => available).map(({ method }) => method))
      return Promise.resolve()
    },
  }
  const unchanged = () => Promise.resolve('same' as const)
  await prober.probe(gatewayGrantOf(evm), store, unchanged, new AbortController().signal)
  return recorded
}

it('a probe calls the upstreams that it identifies, and no former ones', async () => {
  const [a, b] = [await upstreamWith('0xa'), await upstreamWith('0xb')]
  const node = nodeWithList()
  node.put(a.url)
  await node.clientCall()
  expect(await probe(node, b.url)).toContain('eth_gasPrice')
  expect(b.methods).toContain('eth_getBalance')
  expect(a.methods).not.toContain('eth_getBalance')
  expect(await node.clientCall()).toEqual([a.url, 0, '0xa'])
})

it('a probe stays at its upstreams when a client call applies another list meanwhile', async () => {
  const [a, b] = [await upstreamWith('0xa'), await upstreamWith('0xb')]
  const node = nodeWithList()
  node.put(a.url)
  await node.clientCall()
  const list = `${a.url}#cordoned ${b.url}`
  const applied: Promise<unknown>[] = []
  a.onCall.current = (method) => {
    if (method !== 'web3_clientVersion' || applied.length > 0) return
    node.put(list)
    applied.push(node.clientCall())
  }
  await probe(node, a.url)
  expect(await Promise.all(applied)).toEqual([[list, 1, '0xb']])
  expect(a.methods).toContain('eth_getBalance')
  expect(b.methods).not.toContain('eth_getBalance')
})
