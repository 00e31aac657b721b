import { FairleadError } from '@fairlead/core'
import { createFairlead, unwrap } from '@fairlead/sdk'
import { createWalletClient, http, publicActions } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, startService, temporaryFolder } from './service.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  folder = await temporaryFolder()
})
afterAll(() => folder.remove())

// The account that every development chain of this engine funds.
const account = mnemonicToAccount('test test test test test test test test test test test junk', {
  addressIndex: 5,
})

const open = ({ file }: Service) =>
  createFairlead({ baseUrl: file.base_url, apiKey: file.api_key, retries: 0 })

function wallet({ file }: Service) {
  const [node] = file.nodes
  const transport = http(`${node.node_url}/${node.token}`, { retryCount: 0 })
  return createWalletClient({ account, chain: foundry, transport }).extend(publicActions)
}

/** Creates projects without a pause until the service is gone; the names are those that were acknowledged. */
async function createProjects(service: Service, prefix: string): Promise<string[]> {
  const { platform } = open(service)
  const acknowledged: string[] = []
  for (let index = 0; ; index++) {
    const name = `${prefix}-${index}`
    try {
      await unwrap(platform.POST('/v2/projects/', { body: { name } }))
      acknowledged.push(name)
    } catch (error) {
      if (FairleadError.is(error, 'TRANSPORT_FAILED')) return acknowledged
      throw error
    }
  }
}

/** Sends transfers until the service is gone; the hashes are those whose receipt was seen. */
async function sendTransfers(service: Service): Promise<`0x${string}`[]> {
  const client = wallet(service)
  const acknowledged: `0x${string}`[] = []
  try {
    for (;;) {
      const hash = await client.sendTransaction({ to: account.address, value: 1n })
      // Without a limit viem would go on asking a service that is gone.
      await client.waitForTransactionReceipt({ hash, pollingInterval: 20, timeout: 3_000 })
      acknowledged.push(hash)
    }
  } catch {
    return acknowledged
  }
}

describe('kill -9 of the service', () => {
  it('loses nothing that was acknowledged, in three rounds of writes to records and chain', async () => {
    const projects: string[] = []
    const transfers: `0x${string}`[] = []
    for (let round = 0; round < 3; round++) {
      const service = await startService(folder.path)
      const writing = [
        createProjects(service, `round-${round}-a`),
        createProjects(service, `round-${round}-b`),
        sendTransfers(service),
      ] as const
      setTimeout(() => service.process.kill('SIGKILL'), 1_500 + round * 700)
      const [a, b, sent] = await Promise.all(writing)
      expect(a.length).toBeGreaterThan(0)
      expect(sent.length).toBeGreaterThan(0)
      projects.push(...a, ...b)
      transfers.push(...sent)
    }
    const service = await startService(folder.path)
    const kept = new Set<string>()
    for await (const { name } of open(service).platform.projects()) kept.add(name)
    expect(projects.filter((name) => !kept.has(name))).toEqual([])
    const client = wallet(service)
    for (const hash of transfers)
      expect((await client.getTransactionReceipt({ hash })).status).toBe('success')
    await service.end('SIGTERM')
  })
})
