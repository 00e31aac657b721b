import {
  address,
  devnet,
  appendTransactionMessageInstruction,
  createSolanaRpc,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase58Encoder,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  isSolanaError,
  lamports,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  type KeyPairSigner,
  type Signature,
  type SignatureBytes,
} from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { describe, expect, it, onTestFinished } from 'vitest'
import { rpc as callRpc, serveSolana, UpdateStream } from '../../../../test/solana-api.ts'

describe('a transaction of @solana/kit', () => {
  it('is sent, arrives on the stream of updates, and is found by its signature', async () => {
    const { chain, url, transport, faults } = await serveSolana({ finalityBlocks: 3 })
    const rpc = createTestRpc(url)
    const [alice, bob] = [await fund(rpc), await generateKeyPairSigner()]
    const transaction = await transfer(rpc, alice, bob, 5_000_000n)
    const signature = getSignatureFromTransaction(transaction)
    const stream = await UpdateStream.open(transport, { transactions: { mine: { signature } } })

    const sent = await rpc
      .sendTransaction(getBase64EncodedWireTransaction(transaction), { encoding: 'base64' })
      .send()
    expect(sent).toBe(signature)
    const [update] = await stream.take(1)
    const found =
      update?.updateOneof?.$case === 'transaction' ? update.updateOneof.value.transaction : undefined
    expect(found?.signature).toEqual(new Uint8Array(getBase58Encoder().encode(signature)))

    expect(await statusOf(rpc, signature)).toMatchObject({ confirmationStatus: 'processed', err: null })
    for (let made = 0; made < 6; made++) chain.makeSlot()
    expect(await statusOf(rpc, signature)).toMatchObject({
      confirmationStatus: 'finalized',
      confirmations: null,
      status: { Ok: null },
    })
    const { value, context } = await rpc.getBalance(bob.address, { commitment: 'confirmed' }).send()
    expect(value).toBe(5_000_000n)
    expect(context.slot).toBe(chain.tip(0).slot)
    expect(faults).toEqual([])
  })

  it('is rejected by its preflight with the error and the log of the program', async () => {
    const { url } = await serveSolana()
    const rpc = createTestRpc(url)
    const alice = await fund(rpc)
    const transaction = await transfer(rpc, alice, await generateKeyPairSigner(), 10n ** 15n)
    const error: unknown = await rpc
      .sendTransaction(getBase64EncodedWireTransaction(transaction), { encoding: 'base64' })
      .send()
      .catch((reason: unknown) => reason)
    const code = SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE
    expect(isSolanaError(error, code)).toBe(true)
    const raw = await callRpc(url, 'sendTransaction', getBase64EncodedWireTransaction(transaction), {
      encoding: 'base64',
    })
    expect(raw).toMatchObject({
      error: {
        code: -32002,
        message: 'Transaction simulation failed: Error processing Instruction 0: custom program error: 0x1',
        data: { err: { InstructionError: [0, { Custom: 1 }] }, unitsConsumed: 150 },
      },
    })
    expect(JSON.stringify(raw)).toContain('insufficient lamports')
    // Without preflight it is included in a slot, and fails there.
    const signature = await rpc
      .sendTransaction(getBase64EncodedWireTransaction(transaction), {
        encoding: 'base64',
        skipPreflight: true,
      })
      .send()
    expect(await statusOf(rpc, signature)).toMatchObject({
      err: { InstructionError: [0n, { Custom: 1n }] },
      status: { Err: { InstructionError: [0n, { Custom: 1n }] } },
    })
  })

  it('is simulated, with a replaced blockhash on request', async () => {
    const { chain, url } = await serveSolana()
    const rpc = createTestRpc(url)
    const alice = await fund(rpc)
    const bob = await generateKeyPairSigner()
    const transaction = await transfer(rpc, alice, bob, 5_000_000n)
    const encoded = getBase64EncodedWireTransaction(transaction)
    const options = { encoding: 'base64', commitment: 'processed' } as const
    const { value } = await rpc.simulateTransaction(encoded, { ...options, sigVerify: true }).send()
    expect(value).toMatchObject({ err: null, unitsConsumed: 150n })
    expect(value.logs?.join()).toContain('success')
    expect((await rpc.getBalance(bob.address).send()).value).toBe(0n)

    // As for the estimate of its compute units: it is unsigned.
    const unsigned = { ...transaction, signatures: { [alice.address]: null } }
    const estimated = await rpc
      .simulateTransaction(getBase64EncodedWireTransaction(unsigned), {
        ...options,
        replaceRecentBlockhash: true,
      })
      .send()
    expect(estimated.value).toMatchObject({ err: null, unitsConsumed: 150n })

    for (let made = 0; made < 160; made++) chain.makeSlot()
    const expired = await rpc.simulateTransaction(encoded, options).send()
    expect(expired.value.err).toBe('BlockhashNotFound')
    const replaced = await rpc
      .simulateTransaction(encoded, { ...options, replaceRecentBlockhash: true })
      .send()
    expect(replaced.value).toMatchObject({
      err: null,
      replacementBlockhash: { blockhash: chain.tip(0).blockhash },
    })
  })
})

describe('a transaction that is not included in a slot', () => {
  it('is rejected with the reason of its preflight', async () => {
    const { chain, url, faults } = await serveSolana()
    const rpc = createTestRpc(url)
    const alice = await fund(rpc)
    const send = (transaction: Awaited<ReturnType<typeof transfer>>, options = {}) =>
      callRpc(url, 'sendTransaction', getBase64EncodedWireTransaction(transaction), {
        encoding: 'base64',
        ...options,
      })
    const first = await transfer(rpc, alice, await generateKeyPairSigner(), 5_000_000n)
    const second = await transfer(rpc, alice, await generateKeyPairSigner(), 5_000_000n)
    expect(await send(first)).toMatchObject({ result: getSignatureFromTransaction(first) })
    expect(await send(first)).toMatchObject({
      error: {
        code: -32002,
        message: 'Transaction simulation failed: This transaction has already been processed',
        data: { err: 'AlreadyProcessed', logs: [] },
      },
    })
    const forgery = { error: { code: -32003, message: 'Transaction signature verification failure' } }
    // Signatures are verified first, even if one is known from another transaction.
    for (const signature of [new Uint8Array(64).fill(7) as SignatureBytes, first.signatures[alice.address]]) {
      const forged = { ...second, signatures: { [alice.address]: signature ?? null } }
      expect(await send(forged)).toMatchObject(forgery)
      const options = { encoding: 'base64', sigVerify: true }
      const wire = getBase64EncodedWireTransaction(forged)
      expect(await callRpc(url, 'simulateTransaction', wire, options)).toMatchObject(forgery)
    }
    for (let made = 0; made < 160; made++) chain.makeSlot()
    expect(await send(second)).toMatchObject({
      error: { code: -32002, message: 'Transaction simulation failed: Blockhash not found' },
    })
    // RPC nodes accept such a transaction without validation, and drop it later.
    const signature = getSignatureFromTransaction(second)
    expect(await send(second, { skipPreflight: true })).toMatchObject({ result: signature })
    expect(await statusOf(rpc, signature)).toBeNull()
    expect(faults).toEqual([])
  })

  it('reports a faucet without funds', async () => {
    const { url, faults } = await serveSolana()
    const { address: to } = await generateKeyPairSigner()
    expect(await callRpc(url, 'requestAirdrop', to, 1)).toMatchObject({
      error: { code: -32603, message: 'The faucet could not give the lamports: Insufficient funds for rent' },
    })
    expect(await callRpc(url, 'requestAirdrop', '11111111111111111111111111111111', 1e9)).toMatchObject({
      error: { code: -32603, message: 'The faucet could not give the lamports: Invalid writable account' },
    })
    expect(faults).toEqual([])
  })
})

describe('the methods related to transactions', () => {
  it('return results that @solana/kit parses', async () => {
    const { chain, url } = await serveSolana()
    const rpc = createTestRpc(url)
    const { mint, payer } = chain.example
    for (let made = 0; made < 4; made++) chain.makeSlot()
    expect(await rpc.getHealth().send()).toBe('ok')
    expect(await rpc.getSlot({ commitment: 'processed' }).send()).toBe(chain.tip(0).slot)
    // The parameter is omitted, because this level is the default of RPC nodes.
    expect(await rpc.getSlot({ commitment: 'finalized' }).send()).toBe(chain.tip(2).slot)
    expect(await rpc.getBlockHeight({ commitment: 'confirmed' }).send()).toBe(chain.tip(1).blockHeight)
    expect(await rpc.getGenesisHash().send()).toBe(chain.genesisHash)
    expect(await rpc.getEpochInfo({ commitment: 'finalized' }).send()).toMatchObject({
      epoch: 0n,
      absoluteSlot: chain.tip(2).slot,
    })
    expect(await rpc.getMinimumBalanceForRentExemption(165n).send()).toBe(2_039_280n)
    expect(await rpc.getVersion().send()).toMatchObject({ 'solana-core': expect.any(String) })
    const { blockhash } = chain.tip(0)
    expect(await rpc.isBlockhashValid(blockhash as never, { commitment: 'processed' }).send()).toMatchObject({
      value: true,
    })
    const account = await rpc.getAccountInfo(address(mint), { encoding: 'base64' }).send()
    expect(account.value).toMatchObject({ space: 82n, executable: false, rentEpoch: 2n ** 64n - 1n })
    expect(Buffer.from(account.value?.data[0] ?? '', 'base64')).toHaveLength(82)
    const part = await rpc
      .getAccountInfo(address(mint), { encoding: 'base58', dataSlice: { offset: 44, length: 1 } })
      .send()
    expect(part.value?.data).toEqual(['7', 'base58'])
    const several = await rpc
      .getMultipleAccounts([address(payer), (await generateKeyPairSigner()).address])
      .send()
    expect(several.value.map((value) => value === null)).toEqual([false, true])
  })
})

const unusedAddress = '11111111111111111111111111111112'

const refusedCalls = [
  ['getBalance', [], -32602, 'Invalid params: pubkey must be a public key, 32 bytes in base58'],
  [
    'getBalance',
    [unusedAddress, { commitment: 'max' }],
    -32602,
    'Invalid params: commitment must be processed, confirmed or finalized',
  ],
  ['getBalance', [unusedAddress, 5], -32602, 'Invalid params: options must be an object'],
  ['getSlot', [{ minContextSlot: 1e15 }], -32016, 'Minimum context slot has not been reached'],
  [
    'requestAirdrop',
    [unusedAddress, -1],
    -32602,
    'Invalid params: lamports must be a whole number from 0 to 2^64 - 1',
  ],
  [
    'requestAirdrop',
    [unusedAddress, 1.5],
    -32602,
    'Invalid params: lamports must be a whole number from 0 to 2^64 - 1',
  ],
  [
    'getSignatureStatuses',
    [['abc']],
    -32602,
    'Invalid params: signatures[0] must be a signature, 64 bytes in base58',
  ],
  [
    'getSignatureStatuses',
    ['abc'],
    -32602,
    'Invalid params: signatures must be a list of at most 256 signatures',
  ],
  [
    'sendTransaction',
    ['AAAA', { encoding: 'base64' }],
    -32602,
    'Invalid params: transaction must be a transaction in its wire format',
  ],
  ['sendTransaction', ['0', {}], -32602, 'Invalid params: transaction must be a text in base58'],
  [
    'sendTransaction',
    ['A', { encoding: 'hex' }],
    -32602,
    'Invalid params: encoding must be base58 or base64',
  ],
  ['sendTransaction', [], -32602, 'Invalid params: transaction must be a text'],
  ['getTransactions', [], -32601, 'Method not found'],
  ['toString', [], -32601, 'Method not found'],
] as const

const refusedBodies = [
  ['{', 200, { error: { code: -32700 }, id: null }],
  ['[]', 200, { error: { code: -32600 }, id: null }],
  ['7', 200, { error: { code: -32600 }, id: null }],
  ['{"id":"a","method":7}', 200, { error: { code: -32600 }, id: 'a' }],
  ['{"id":4,"method":"getSlot","params":{"a":1}}', 200, { error: { code: -32602 }, id: 4 }],
  [`"${'x'.repeat(2 ** 20)}"`, 413, { error: { code: -32600 }, id: null }],
] as const

describe('an invalid call', () => {
  it('returns the violated rule', async () => {
    const { url, faults } = await serveSolana()
    for (const [method, params, code, message] of refusedCalls) {
      const response = await callRpc(url, method, ...params)
      expect([method, response]).toEqual([method, { jsonrpc: '2.0', id: 1, error: expect.anything() }])
      expect([method, response]).toMatchObject([method, { error: { code, message } }])
    }
    expect(faults).toEqual([])
  })

  it('differs from an invalid request', async () => {
    const { url, faults } = await serveSolana()
    for (const [body, status, expected] of refusedBodies) {
      const response = await fetch(url, { method: 'POST', body })
      expect([response.status, await response.json()]).toMatchObject([status, expected])
    }
    expect(faults).toEqual([])
  })
})

describe('the server', () => {
  it('processes a batch in order, and omits notifications', async () => {
    const { url } = await serveSolana()
    const post = (body: unknown) => fetch(url, { method: 'POST', body: JSON.stringify(body) })
    const response = await post([
      { jsonrpc: '2.0', id: 1, method: 'getHealth' },
      { jsonrpc: '2.0', method: 'getHealth' },
      { jsonrpc: '2.0', id: 'b', method: 'nothing' },
    ])
    expect(await response.json()).toMatchObject([
      { id: 1, result: 'ok' },
      { id: 'b', error: { code: -32601 } },
    ])
    expect((await post({ jsonrpc: '2.0', method: 'getHealth' })).status).toBe(204)
  })

  it('responds to other clients during a long batch', async () => {
    const { chain, url } = await serveSolana()
    const batch = Array.from({ length: 200 }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'requestAirdrop',
      params: [unusedAddress, 1_000_000_000],
    }))
    const completed: string[] = []
    const firstEvent = new Promise<void>((resolve) => onTestFinished(chain.listen(() => resolve())))
    const work = async () => {
      const response = await fetch(url, { method: 'POST', body: JSON.stringify(batch) })
      completed.push('batch')
      return response.json()
    }
    const working = work()
    await firstEvent
    await (await fetch(`${url}/health`)).text()
    completed.push('health')
    expect(await working).toHaveLength(200)
    expect(completed).toEqual(['health', 'batch'])
  })

  it('allows requests from every origin', async () => {
    const { url } = await serveSolana()
    const preflight = await fetch(url, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://example.org',
        'access-control-request-headers': 'content-type,solana-client',
      },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-headers')).toBe('content-type,solana-client')
    const response = await fetch(url, { method: 'POST', body: '{"id":1,"method":"getHealth"}' })
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(await (await fetch(`${url}/health`)).text()).toBe('ok')
  })

  it('preserves all digits of 64-bit integers', async () => {
    const { url } = await serveSolana()
    const body = `{"id":1,"method":"requestAirdrop","params":["${unusedAddress}",9007199254740993]}`
    const response = await (await fetch(url, { method: 'POST', body })).text()
    expect(response).toContain('"result"')
    const balance = await fetch(url, {
      method: 'POST',
      body: `{"id":1,"method":"getBalance","params":["${unusedAddress}"]}`,
    })
    expect(await balance.text()).toContain('"value":9007199254740993}')
  })
})

type TestRpc = ReturnType<typeof createTestRpc>

function createTestRpc(url: string) {
  return createSolanaRpc(devnet(url))
}

async function fund(rpc: TestRpc): Promise<KeyPairSigner> {
  const signer = await generateKeyPairSigner()
  await rpc.requestAirdrop(signer.address, lamports(1_000_000_000n)).send()
  return signer
}

async function transfer(rpc: TestRpc, source: KeyPairSigner, destination: KeyPairSigner, amount: bigint) {
  const { value } = await rpc.getLatestBlockhash({ commitment: 'processed' }).send()
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayerSigner(source, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(value, paid),
    (limited) =>
      appendTransactionMessageInstruction(
        getTransferSolInstruction({ source, destination: destination.address, amount }),
        limited,
      ),
  )
  return signTransactionMessageWithSigners(message)
}

async function statusOf(rpc: TestRpc, signature: Signature) {
  const { value } = await rpc.getSignatureStatuses([signature]).send()
  return value[0]
}
