import { Address, Cell } from '@ton/core'
import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import type tonwebModule from 'tonweb'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { jettonAccess } from './jetton/access.ts'
import { type Example, findExample } from './jetton/example.ts'
import { fund } from './jetton/funded-wallet.ts'

// Loaded as its users load it: it predates ES modules.
const TonWeb = createRequire(import.meta.url)('tonweb') as (typeof tonwebModule)['default']

// An old client, which uses calls that others do not: the configuration, block headers, wallets by type.
const {
  nodes: [, , node],
} = inject('development')
const jetton = jettonAccess(node)
const provider = new TonWeb.HttpProvider(`${jetton.url}/api/v2/jsonRPC`) as Provider
const tonweb = new TonWeb(provider)
const { utils } = TonWeb

let example: Example
beforeAll(async () => {
  example = await findExample(jetton)
})

describe('tonweb', () => {
  it('reads a parameter of the configuration as a cell', async () => {
    const cell = await provider.getConfigParam(15)
    const { result } = (await (await jetton.rpc('getConfigParam', { config_id: 15 })).json()) as {
      readonly result: { readonly config: { readonly bytes: string } }
    }
    expect(Buffer.from(await cell.hash())).toEqual(Cell.fromBase64(result.config.bytes).hash())
    await expect(provider.getConfigParam(123_456)).rejects.toMatch(/123456/)
  })

  it('reads blocks, their headers and their transactions', async () => {
    const { block, masterSeqno, transaction } = example
    const { last } = await provider.getMasterchainInfo()
    expect(last.seqno).toBeGreaterThanOrEqual(masterSeqno)
    const { shards } = await provider.getBlockShards(masterSeqno)
    expect(shards).toMatchObject([block])
    const master = await provider.getMasterchainBlockHeader(masterSeqno)
    expect(master.prev_blocks).toMatchObject([{ workchain: -1, seqno: masterSeqno - 1 }])
    const { start_lt, end_lt } = await provider.getBlockHeader(block.workchain, block.shard, block.seqno)
    const lt = BigInt(transaction.lt)
    expect(BigInt(start_lt) <= lt && lt <= BigInt(end_lt)).toBe(true)
    const { workchain, shard, seqno } = block
    const first = await provider.getBlockTransactions(workchain, shard, seqno, 1)
    const pivot = first.transactions[0]
    expect(first).toMatchObject({ incomplete: true, req_count: 1 })
    const [, account = ''] = pivot.account.split(':')
    const hash = Buffer.from(account, 'hex').toString('base64')
    const rest = await provider.getBlockTransactions(workchain, shard, seqno, 40, pivot.lt, hash)
    const all = await provider.getBlockTransactions(workchain, shard, seqno)
    expect([pivot, ...rest.transactions]).toEqual(all.transactions)
    expect((await provider.getMasterchainBlockTransactions(masterSeqno)).transactions).toEqual([])
  })

  it('reads a jetton and one of its wallets', async () => {
    const minter = new TonWeb.token.jetton.JettonMinter(provider, { address: example.master } as never)
    const { isMutable, adminAddress } = await minter.getJettonData()
    expect(isMutable).toBe(true)
    expect(adminAddress?.toString(true, true, false)).toBe(example.wallet)
    const address = await minter.getJettonWalletAddress(new utils.Address(example.wallet))
    expect(Address.parse(address.toString()).toRawString().toUpperCase()).toBe(example.jettonWallet)
    const wallet = new TonWeb.token.jetton.JettonWallet(provider, { address })
    const { balance, ownerAddress, jettonMinterAddress } = await wallet.getData()
    expect(BigInt(balance.toString())).toBeGreaterThan(0n)
    expect(ownerAddress.toString(true, true, false)).toBe(example.wallet)
    expect(jettonMinterAddress.toString(true, true, true)).toBe(example.master)
  })

  it('deploys a wallet v4 r2, sends from it and pages through its transactions', async () => {
    const keys = utils.nacl.sign.keyPair.fromSeed(randomBytes(32))
    const wallet = new tonweb.wallet.all.v4R2(provider, { publicKey: keys.publicKey, wc: 0 })
    const address = await wallet.getAddress()
    const text = address.toString(true, true, false)
    expect(await tonweb.getBalance(text)).toBe('0')
    await fund(node, Address.parse(text))
    const transfer = (seqno: number, payload: string) =>
      wallet.methods.transfer({
        secretKey: keys.secretKey,
        toAddress: example.wallet,
        amount: utils.toNano('0.1'),
        seqno,
        payload,
        sendMode: 3,
      })
    const deployment = wallet.deploy(keys.secretKey)
    const fees = await deployment.estimateFee()
    expect(fees.source_fees.gas_fee).toBeGreaterThan(0)
    expect(await deployment.send()).toEqual({ '@type': 'ok' })
    expect(await wallet.methods.seqno().call()).toBe(1)
    for (const payload of ['one', 'two', 'three'])
      await transfer((await wallet.methods.seqno().call()) ?? 0, payload).send()
    await expect(transfer(1, 'again').send()).rejects.toMatch(/exitcode=33/)

    expect(await provider.getWalletInfo(text)).toMatchObject({ wallet_type: 'wallet v4 r2', seqno: 4 })
    expect(await provider.getAddressInfo(text)).toMatchObject({ state: 'active' })
    expect(await provider.getExtendedAddressInfo(text)).toMatchObject({
      account_state: { '@type': 'wallet.v4.accountState', seqno: 4 },
    })
    const [first, ...rest] = await tonweb.getTransactions(text, 20)
    expect([first, ...rest].map(sentComment).slice(0, 3)).toEqual(['three', 'two', 'one'])
    const { lt, hash } = first.transaction_id
    expect(await tonweb.getTransactions(text, 20, lt, hash)).toEqual([first, ...rest])
  })

  it('receives every new block and its shard', async () => {
    const { last } = await provider.getMasterchainInfo()
    const masters: number[] = []
    const shards = new Set<number>()
    const received = new AbortController()
    const subscription = new TonWeb.BlockSubscription(
      provider,
      new TonWeb.InMemoryBlockStorage(() => {}),
      async ({ id: { workchain, seqno } }) => {
        if (workchain === -1) masters.push(seqno)
        else shards.add(seqno)
        if (masters.length < 2 || shards.size < 2) return
        subscription.stop()
        received.abort()
      },
      { startMcBlockNumber: last.seqno, mcInterval: 20, shardsInterval: 20 },
    )
    void subscription.start()
    // Creates a block for each transfer, because one block may hold several concurrent ones. The subscription stays one
    // block behind the latest block.
    while (!received.signal.aborted) await fund(node, Address.parse(example.wallet))
    expect(masters.slice(0, 2)).toEqual([last.seqno + 1, last.seqno + 2])
  })
})

type Provider = InstanceType<typeof TonWeb.HttpProvider> & {
  // Its types do not declare this method.
  getConfigParam(id: number): Promise<{ hash(): Promise<Uint8Array> }>
}

interface SentMessages {
  readonly out_msgs: readonly { readonly message: string }[]
}

function sentComment({ out_msgs }: SentMessages): string | undefined {
  return out_msgs[0]?.message
}
