import {
  Address,
  beginCell,
  type Cell,
  external,
  fromNano,
  internal,
  type OpenedContract,
  SendMode,
  toNano,
  type Transaction,
} from '@ton/core'
import { type KeyPair, keyPairFromSeed } from '@ton/crypto'
import {
  JettonMaster,
  JettonWallet,
  TonClient,
  WalletContractV3R2,
  WalletContractV4,
  WalletContractV5R1,
} from '@ton/ton'
import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { jettonAccess } from './jetton/access.ts'
import { type Example, findExample } from './jetton/example.ts'
import { fund } from './jetton/funded-wallet.ts'

// The third-party client, through the gateway to the embedded chain.
const {
  nodes: [, , node],
} = inject('development')
const jetton = jettonAccess(node)
const client = new TonClient({ endpoint: `${jetton.url}/api/v2/jsonRPC` })

let example: Example
beforeAll(async () => {
  example = await findExample(jetton)
})

/** Opens a wallet of a given version, with 10 coins and without code yet. */
async function openWallet(create: (publicKey: Buffer) => Wallet) {
  const keys = keyPairFromSeed(randomBytes(32))
  const wallet = client.open(create(keys.publicKey))
  await fund(node, wallet.address)
  return { wallet, keys }
}

type Wallet = WalletContractV3R2 | WalletContractV4 | WalletContractV5R1

const v4 = (publicKey: Buffer) => WalletContractV4.create({ workchain: 0, publicKey })

/** Sends a message from a wallet. The message has been executed when the promise resolves. */
async function sendFrom(
  wallet: OpenedContract<Wallet>,
  { secretKey }: KeyPair,
  message: { readonly to: Address; readonly value: bigint; readonly body?: Cell | string },
): Promise<void> {
  await wallet.sendTransfer({
    seqno: await wallet.getSeqno(),
    secretKey,
    sendMode: SendMode.PAY_GAS_SEPARATELY,
    messages: [internal({ bounce: false, ...message })],
  })
}

describe('@ton/ton', () => {
  it.each<[string, (publicKey: Buffer) => Wallet]>([
    ['wallet v3 r2', (publicKey) => WalletContractV3R2.create({ workchain: 0, publicKey })],
    ['wallet v4 r2', v4],
    ['wallet v5 r1', (publicKey) => WalletContractV5R1.create({ publicKey })],
  ])('deploys a %s and sends from it', async (type, create) => {
    const { wallet, keys } = await openWallet(create)
    expect(await client.getBalance(wallet.address)).toBe(toNano(10))
    expect(await client.isContractDeployed(wallet.address)).toBe(false)
    const receiver = new Address(0, randomBytes(32))
    await sendFrom(wallet, keys, { to: receiver, value: toNano('1.5'), body: 'first' })
    await sendFrom(wallet, keys, { to: receiver, value: toNano('0.5'), body: 'second' })
    expect(await client.isContractDeployed(wallet.address)).toBe(true)
    expect(await wallet.getSeqno()).toBe(2)
    // The difference is fees, and storage rent for the second between the two messages.
    expect(Number(fromNano(await client.getBalance(receiver)))).toBeCloseTo(2, 5)
    expect(Number(fromNano(await wallet.getBalance()))).toBeCloseTo(8, 1)
    const state = await client.getContractState(wallet.address)
    expect(state).toMatchObject({ state: 'active', blockId: { workchain: -1 } })
    const walletInformation = await jetton.read('getWalletInformation', {
      address: wallet.address.toString(),
    })
    expect(walletInformation).toMatchObject({ wallet: true, wallet_type: type, seqno: 2 })
  })

  it('pages through transactions, and finds one by its hash and by its messages', async () => {
    const { wallet, keys } = await openWallet(v4)
    const receiver = new Address(0, randomBytes(32))
    for (const body of ['one', 'two', 'three', 'four'])
      await sendFrom(wallet, keys, { to: receiver, value: toNano('0.1'), body })
    const received = await client.getTransactions(receiver, { limit: 100 })
    expect(received.map(commentOf)).toEqual(['four', 'three', 'two', 'one'])

    const paged: Transaction[] = []
    for (let last: Transaction | undefined; ; last = paged.at(-1)) {
      const cursor = last && { lt: `${last.lt}`, hash: last.hash().toString('base64') }
      const page = await client.getTransactions(receiver, { limit: 2, ...cursor })
      if (page.length === 0) break
      paged.push(...page)
    }
    expect(paged.map(hashOf)).toEqual(received.map(hashOf))
    const [latest] = received as [Transaction]
    const inclusive = { lt: `${latest.lt}`, hash: hashOf(latest), inclusive: true, archival: true }
    const upTo = { ...inclusive, limit: 100, to_lt: `${received[1]?.lt}` }
    expect((await client.getTransactions(receiver, upTo)).map(hashOf)).toEqual([hashOf(latest)])

    const found = await client.getTransaction(receiver, `${latest.lt}`, hashOf(latest))
    expect(found && hashOf(found)).toBe(hashOf(latest))
    const info = latest.inMessage?.info
    if (info?.type !== 'internal') throw new Error('a transfer came by an internal message')
    const created = `${info.createdLt}`
    expect(hashOf(await client.tryLocateResultTx(info.src, info.dest, created))).toBe(hashOf(latest))
    const source = await client.tryLocateSourceTx(info.src, info.dest, created)
    expect(source.outMessages.values().map((message) => message.info.dest?.toString())).toEqual([
      receiver.toString(),
    ])
  })

  it('reads blocks and their transactions', async () => {
    const { latestSeqno, initSeqno, workchain } = await client.getMasterchainInfo()
    expect({ workchain, initSeqno }).toEqual({ workchain: -1, initSeqno: 1 })
    expect(latestSeqno).toBeGreaterThanOrEqual(example.masterSeqno)
    const [shard] = await client.getWorkchainShards(example.masterSeqno)
    expect(shard).toEqual(example.block)
    const { workchain: base, seqno, shard: name } = example.block
    const transactions = await client.getShardTransactions(base, seqno, name)
    expect(transactions.map(({ lt }) => lt)).toContain(example.transaction.lt)
  })

  it('estimates the exact fee of a message', async () => {
    const { wallet, keys } = await openWallet(v4)
    const body = (wallet as OpenedContract<WalletContractV4>).createTransfer({
      seqno: 0,
      secretKey: keys.secretKey,
      sendMode: SendMode.PAY_GAS_SEPARATELY,
      messages: [internal({ to: wallet.address, value: 1n, bounce: false })],
    })
    const { code: initCode, data: initData } = wallet.init
    const unsigned = { body, initCode, initData, ignoreSignature: true }
    const { source_fees: fees } = await client.estimateExternalMessageFee(wallet.address, unsigned)
    await client.sendMessage(external({ to: wallet.address, init: wallet.init, body }))
    const [sent] = (await client.getTransactions(wallet.address, { limit: 10 })).filter(
      ({ inMessage }) => inMessage?.info.type === 'external-in',
    )
    if (sent?.description.type !== 'generic') throw new Error('the message led to a transaction')
    const { computePhase, actionPhase } = sent.description
    expect(BigInt(fees.gas_fee)).toBe(computePhase.type === 'vm' ? computePhase.gasFees : 0n)
    expect(BigInt(fees.fwd_fee)).toBe(actionPhase?.totalFwdFees)
    expect(fees.in_fwd_fee).toBeGreaterThan(0)
  })

  it('reads, transfers and burns jettons', async () => {
    const master = client.open(JettonMaster.create(Address.parse(example.master)))
    const owner = client.open(v4(sampleKeys.publicKey))
    expect(owner.address.equals(Address.parse(example.wallet))).toBe(true)
    const before = await master.getJettonData()
    const from = await master.getWalletAddress(owner.address)
    expect(from.equals(Address.parse(example.jettonWallet))).toBe(true)
    expect(before.adminAddress.equals(owner.address)).toBe(true)
    const { wallet, keys } = await openWallet(v4)
    const to = client.open(JettonWallet.create(await master.getWalletAddress(wallet.address)))
    expect(await to.getBalance()).toBe(0n)

    const fees = toNano('0.1')
    await sendFrom(owner, sampleKeys, {
      to: from,
      value: fees,
      body: transferBody(toNano(5), wallet.address),
    })
    expect(await to.getBalance()).toBe(toNano(5))
    const comment = 'Burned by a client of another project'
    await sendFrom(wallet, keys, {
      to: to.address,
      value: fees,
      body: burnBody(toNano(2), wallet.address, comment),
    })
    expect(await to.getBalance()).toBe(toNano(3))
    const after = await master.getJettonData()
    expect(before.totalSupply - after.totalSupply).toBe(toNano(2))

    const { burns } = await jetton.list<{ readonly burns: readonly [unknown] }>('jetton/burns', {
      address: example.master,
      limit: 1,
    })
    const [burn] = await client
      .getTransactions(to.address, { limit: 10 })
      .then((transactions) =>
        transactions.filter(({ outMessages }) =>
          outMessages.values().some(({ info }) => info.dest?.toString() === master.address.toString()),
        ),
      )
    expect(burns[0]).toEqual({
      jetton: { address: example.master, name: 'Sample Jetton', symbol: 'SAMPLE' },
      burner: { address: wallet.address.toString({ bounceable: false }) },
      transaction: { hash: burn && hashOf(burn), time: burn?.now },
      amount: `${toNano(2)}`,
      comment,
    })
  })

  it('reports why a call fails', async () => {
    const address = Address.parse(example.master)
    const unknown = await client.runMethodWithError(address, 'no_such_method')
    expect(unknown.exit_code).toBe(11)
    await expect(client.runMethod(address, 'no_such_method')).rejects.toThrow('exit_code: 11')
    await expect(client.sendFile(Buffer.from('no bag of cells'))).rejects.toMatchObject({
      response: {
        status: 422,
        data: { ok: false, code: 422, error: expect.stringMatching(/boc/) as string },
      },
    })
    const unauthenticated = new TonClient({ endpoint: `${node.node_url}/${'0'.repeat(32)}/api/v2/jsonRPC` })
    await expect(unauthenticated.getMasterchainInfo()).rejects.toMatchObject({ response: { status: 401 } })
  })
})

// The wallet of the sample data, whose secret key is public.
const sampleKeys = keyPairFromSeed(Buffer.from(node.example.wallet_seed, 'hex'))

const hashOf = (transaction: Transaction) => transaction.hash().toString('base64')

function commentOf({ inMessage }: Transaction): string | undefined {
  const body = inMessage?.body.beginParse()
  return body?.loadUint(32) === 0 ? body.loadStringTail() : undefined
}

/** `transfer` of TEP-74. */
function transferBody(amount: bigint, to: Address): Cell {
  return beginCell()
    .storeUint(0x0f8a7ea5, 32)
    .storeUint(0, 64)
    .storeCoins(amount)
    .storeAddress(to)
    .storeAddress(to)
    .storeMaybeRef(null)
    .storeCoins(1)
    .storeBit(false)
    .endCell()
}

/** `burn` of TEP-74, with a comment. */
function burnBody(amount: bigint, responseTo: Address, comment: string): Cell {
  const payload = beginCell().storeUint(0, 32).storeStringTail(comment).endCell()
  return beginCell()
    .storeUint(0x595f07bc, 32)
    .storeUint(0, 64)
    .storeCoins(amount)
    .storeAddress(responseTo)
    .storeMaybeRef(payload)
    .endCell()
}
