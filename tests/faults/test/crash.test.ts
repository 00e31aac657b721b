import { FairleadError } from '@fairlead/core'
import { createFairlead, unwrap } from '@fairlead/sdk'
import { createWalletClient, http, publicActions } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { evmOnly, type DevelopmentGateway, startGateway, temporaryFolder } from '@fairlead/e2e-tests/gateway'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  folder = await temporaryFolder(inject('database'))
})
afterAll(() => folder.remove())

// The account that every development chain of this engine funds.
const account = mnemonicToAccount('test test test test test test test test test test test junk', {
  addressIndex: 5,
})

const open = ({ file }: DevelopmentGateway) =>
  createFairlead({ baseUrl: file.base_url, apiKey: file.api_key, retries: 0 })

function wallet({ file }: DevelopmentGateway) {
  const [node] = file.nodes
  const transport = http(`${node.node_url}/${node.token}`, { retryCount: 0 })
  return createWalletClient({ account, chain: foundry, transport }).extend(publicActions)
}

/** Creates projects without a pause until the gateway is killed, and records the acknowledged names. */
async function createProjects(
  gateway: DevelopmentGateway,
  prefix: string,
  acknowledged: string[],
): Promise<void> {
  const { platform } = open(gateway)
  for (let index = 0; ; index++) {
    const name = `${prefix}-${index}`
    try {
      await unwrap(platform.POST('/v2/projects/', { body: { name } }))
      acknowledged.push(name)
    } catch (error) {
      if (FairleadError.is(error, 'TRANSPORT_FAILED')) return
      throw error
    }
  }
}

/** Sends transfers until the gateway is killed, and records the hashes whose receipt was received. */
async function sendTransfers(gateway: DevelopmentGateway, acknowledged: `0x${string}`[]): Promise<void> {
  const client = wallet(gateway)
  try {
    for (;;) {
      const hash = await client.sendTransaction({ to: account.address, value: 1n })
      // Without a timeout, viem would continue to poll a gateway that is no longer running.
      await client.waitForTransactionReceipt({ hash, pollingInterval: 20, timeout: 3_000 })
      acknowledged.push(hash)
    }
  } catch {
    // The gateway process has exited.
  }
}

describe('kill -9 of the gateway', () => {
  it('loses no acknowledged write, in three rounds of writes to records and chain', async () => {
    const projects: string[] = []
    const transfers: `0x${string}`[] = []
    for (let round = 0; round < 3; round++) {
      const gateway = await startGateway(folder.path, evmOnly)
      const earlier = { projects: projects.length, transfers: transfers.length }
      const writing = [
        createProjects(gateway, `round-${round}-a`, projects),
        createProjects(gateway, `round-${round}-b`, projects),
        sendTransfers(gateway, transfers),
      ]
      // In each round, the gateway is killed after more acknowledged writes than in the previous round.
      const writes = 1 + round * 3
      await expect.poll(() => projects.length).toBeGreaterThan(earlier.projects + writes)
      await expect.poll(() => transfers.length).toBeGreaterThan(earlier.transfers + round)
      gateway.process.kill('SIGKILL')
      await Promise.all(writing)
    }
    const gateway = await startGateway(folder.path, evmOnly)
    const persisted = new Set<string>()
    for await (const { name } of open(gateway).platform.projects()) persisted.add(name)
    expect(projects.filter((name) => !persisted.has(name))).toEqual([])
    const client = wallet(gateway)
    for (const hash of transfers)
      expect((await client.getTransactionReceipt({ hash })).status).toBe('success')
    await gateway.end('SIGTERM')
  })
})
