import { ethers } from 'ethers'
import { createPublicClient, http, numberToHex } from 'viem'
import { describe, expect, inject, it } from 'vitest'
import { HttpProvider, Web3 } from 'web3'

const {
  nodes: [node],
} = inject('development')
const tokenUrl = `${node.node_url}/${node.token}`
const credentials = `${node.username}:${node.password}`
const authorization = `Basic ${btoa(credentials)}`

const viemClients = {
  'token in the path': http(tokenUrl),
  'the /evm path': http(`${tokenUrl}/evm`),
  'batched calls': http(tokenUrl, { batch: true }),
  'basic authentication by header': http(node.node_url, { fetchOptions: { headers: { authorization } } }),
  'basic authentication in the URL': http(node.node_url.replace('://', `://${credentials}@`)),
}

describe('viem', () => {
  it.each(Object.entries(viemClients))('works with %s', async (_, transport) => {
    const client = createPublicClient({ transport })
    const [chainId, block] = await Promise.all([
      client.getChainId(),
      client.getBlock({ includeTransactions: true }),
    ])
    expect(chainId).toBe(31_337)
    const byHash = await client.getBlock({ blockHash: block.hash })
    expect(byHash.number).toBe(block.number)
    const [transaction] = block.transactions
    if (!transaction) throw new Error('the latest block holds no transaction')
    const receipt = await client.getTransactionReceipt({ hash: transaction.hash })
    expect(receipt.blockHash).toBe(block.hash)
    expect(await client.getBalance({ address: transaction.from })).toBeGreaterThan(0n)
    const logs = await client.getLogs({ fromBlock: 0n, toBlock: block.number })
    expect(logs.length).toBeGreaterThan(0)
    expect(await client.request({ method: 'eth_getBlockByHash', params: ['0x12', false] })).toBeNull()
  })

  it('does not retry with a wrong token', async () => {
    let requests = 0
    const fetchFn = (...input: Parameters<typeof fetch>) => {
      requests += 1
      return fetch(...input)
    }
    const client = createPublicClient({ transport: http(`${node.node_url}/${'0'.repeat(32)}`, { fetchFn }) })
    await expect(client.getBlockNumber()).rejects.toMatchObject({ code: -32_041 })
    expect(requests).toBe(1)
  })
})

describe('ethers', () => {
  it.each(['token', 'basic'] as const)('works with %s', async (kind) => {
    const request = new ethers.FetchRequest(kind === 'token' ? tokenUrl : node.node_url)
    if (kind === 'basic') {
      request.setCredentials(node.username, node.password)
      // ethers sends credentials over plain HTTP only when explicitly allowed.
      request.allowInsecureAuthentication = true
    }
    const provider = new ethers.JsonRpcProvider(request)
    try {
      const network = await provider.getNetwork()
      expect(network.chainId).toBe(31_337n)
      const block = await provider.getBlock('latest', true)
      const [transaction] = block?.prefetchedTransactions ?? []
      if (!block || !transaction) throw new Error('the latest block holds no transaction')
      expect((await provider.getTransactionReceipt(transaction.hash))?.blockNumber).toBe(block.number)
      expect((await provider.getLogs({ fromBlock: 0, toBlock: 'latest' })).length).toBeGreaterThan(0)
      expect((await provider.getFeeData()).gasPrice).toBeGreaterThan(0n)
      expect(await provider.send('ots_getApiLevel', [])).toBe(8)
    } finally {
      provider.destroy()
    }
  })
})

describe('web3', () => {
  it.each(['token', 'basic'] as const)('works with %s', async (kind) => {
    const provider =
      kind === 'token'
        ? new HttpProvider(tokenUrl)
        : new HttpProvider(node.node_url, { providerOptions: { headers: { authorization } } })
    const web3 = new Web3(provider)
    expect(await web3.eth.getChainId()).toBe(31_337n)
    const block = await web3.eth.getBlock('latest', true)
    expect(numberToHex(block.number)).toBe(await web3.eth.getBlockNumber().then(numberToHex))
    const logs = await web3.eth.getPastLogs({ fromBlock: 0, toBlock: 'latest' })
    expect(logs.length).toBeGreaterThan(0)
    expect(await web3.eth.isSyncing()).toBe(false)
  })
})
