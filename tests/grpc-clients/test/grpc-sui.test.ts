import { ObjectReference, Status as RpcStatus } from '@fairlead/grpc/sui'
import type { GrpcServer } from '@fairlead/grpc-transport'
import { bcs } from '@mysten/sui/bcs'
import { SimulationError, TransactionError } from '@mysten/sui/client'
import { GrpcWebFetchTransport, type RpcError, SuiGrpcClient } from '@mysten/sui/grpc'
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519'
import { Transaction } from '@mysten/sui/transactions'
import { fromBase64, normalizeSuiAddress } from '@mysten/sui/utils'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createSuiLedger, gasCost, gasPrice, type SuiLedger } from './grpc/sui-ledger.ts'
import { startSuiNode } from './grpc/sui-node.ts'
import { coinType, idOf, suiType } from './grpc/sui-objects.ts'
import { type ServerProcess, startProcess, temporaryFolder } from '@fairlead/e2e-tests/gateway'

// The third-party client, over the gRPC-web endpoint of the gateway, to a node with our messages.
const keys = Ed25519Keypair.generate()
const owner = keys.toSuiAddress()
const recipient = normalizeSuiAddress('0x77')
const parent = idOf('coin', 0)

let ledger: SuiLedger
let node: GrpcServer
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let gateway: ServerProcess
let baseUrl: string
let token: string
let client: SuiGrpcClient
beforeAll(async () => {
  ledger = createSuiLedger(owner, [5_000_000_000n, 3_000_000_000n, 700n])
  node = await startSuiNode(ledger)
  folder = await temporaryFolder()
  gateway = await startProcess('serve', folder.path, {
    FAIRLEAD_LOG_LEVEL: 'debug',
    FAIRLEAD_GRPC_UPSTREAM: node.url,
  })
  // The token is printed once, at the first start.
  await vi.waitUntil(() => /x-token +\S+\n/.test(gateway.output()), 20_000)
  ;[, baseUrl = ''] = /running at (\S+)/.exec(gateway.output()) ?? []
  ;[, token = ''] = /x-token +(\S+)/.exec(gateway.output()) ?? []
  client = clientOf(token)
})
afterAll(async () => {
  await gateway.end('SIGTERM')
  await node.stop()
  await folder.remove()
})

const clientOf = (xToken: string, format: 'text' | 'binary' = 'text') =>
  new SuiGrpcClient({
    network: 'localnet',
    transport: new GrpcWebFetchTransport({ baseUrl, format, meta: { 'x-token': xToken } }),
  })

/** Returns the error of a failed call. */
const failureOf = async (call: PromiseLike<unknown>): Promise<RpcError> => {
  try {
    await call
  } catch (error) {
    return error as RpcError
  }
  throw new Error('the call was meant to fail')
}

// Writes change later reads, and the ledger contains all of them, so each test depends on the preceding ones.
describe('the client of Sui', { shuffle: false }, () => {
  describe('reads', () => {
    it('objects, and which of them do not exist', async () => {
      const missing = normalizeSuiAddress('0x99')
      const { objects } = await client.getObjects({
        objectIds: [parent, missing],
        include: { content: true, previousTransaction: true, json: true },
      })
      const parentObject = ledger.objects.get(parent)
      expect(objects).toEqual([
        expect.objectContaining({
          objectId: parent,
          version: '1',
          digest: parentObject?.digest,
          type: coinType,
          owner: { $kind: 'AddressOwner', AddressOwner: owner },
          content: parentObject?.contents?.value,
          previousTransaction: parentObject?.previousTransaction,
          json: { id: parent, balance: '5000000000' },
        }),
        expect.objectContaining({ message: `Object ${missing} not found`, reason: 'notFound' }),
      ])
      // Fields that the mask omits are not sent.
      const { object } = await client.getObject({ objectId: parent })
      expect([object.content, object.previousTransaction]).toEqual([undefined, undefined])
    })

    it('coins page by page, balances and coin metadata', async () => {
      const first = await client.listCoins({ owner, limit: 2 })
      expect([first.objects.map(({ balance }) => balance), first.hasNextPage]).toEqual([
        ['5000000000', '3000000000'],
        true,
      ])
      const second = await client.listCoins({ owner, limit: 2, cursor: first.cursor })
      expect([second.objects.map(({ balance }) => balance), second.hasNextPage]).toEqual([['700'], false])
      const owned = await client.listOwnedObjects({ owner, include: { content: true } })
      expect(owned.objects.map(({ objectId }) => objectId)).toContain(parent)
      const balance = {
        coinType: suiType,
        balance: '8000000700',
        coinBalance: '8000000700',
        addressBalance: '0',
      }
      expect(await client.getBalance({ owner })).toEqual({ balance })
      expect((await client.listBalances({ owner })).balances).toEqual([balance])
      const { coinMetadata } = await client.getCoinMetadata({ coinType: suiType })
      expect(coinMetadata).toMatchObject({ decimals: 9, symbol: 'SUI', description: 'Größe — 水' })
      expect(await client.getCoinMetadata({ coinType: '0x5::no::COIN' })).toEqual({ coinMetadata: null })
    })

    it('the chain, its epoch and its names', async () => {
      expect(await client.getReferenceGasPrice()).toEqual({ referenceGasPrice: `${gasPrice}` })
      const { protocolConfig } = await client.getProtocolConfig()
      expect(protocolConfig).toEqual({
        protocolVersion: '100',
        featureFlags: { on: true, off: false },
        attributes: { max_tx_gas: '50000000000', none: '' },
      })
      const { systemState } = await client.getCurrentSystemState()
      expect(systemState).toMatchObject({ epoch: '7', epochStartTimestampMs: '1700000000000' })
      const { chainIdentifier } = await client.core.getChainIdentifier()
      expect(chainIdentifier).toBe('EiRpAQ1VCdBbCLkqAvjhnbMdHFmrnjTUMktVGGJiKvZr')
      const { response } = await client.nameService.lookupName({ name: 'known.sui' })
      expect(response.record?.data).toEqual({ avatar: 'a', empty: '' })
      expect(await client.core.resolveNameServiceAddress({ name: 'old.sui' })).toEqual({ address: null })
    })

    it('dynamic fields', async () => {
      const number = (value: bigint) => bcs.u64().serialize(value).toBytes()
      const { dynamicFields } = await client.listDynamicFields({ parentId: parent, include: { value: true } })
      expect(dynamicFields.map(({ name, value }) => [name.bcs, value?.bcs])).toEqual([
        [number(1n), number(100n)],
        [number(2n), number(200n)],
      ])
      const name = { type: 'u64', bcs: number(2n) }
      const { dynamicField } = await client.getDynamicField({ parentId: parent, name })
      expect(dynamicField.value).toEqual({ type: 'u64', bcs: number(200n) })
    })

    it('headers of the node, in both gRPC-web formats', async () => {
      for (const format of ['text', 'binary'] as const) {
        const call = clientOf(token, format).ledgerService.getServiceInfo({})
        expect(await call.headers).toMatchObject({ 'x-sui-chain': 'testing', 'x-sui-epoch': '7' })
        expect((await call.response).checkpointHeight).toBe(0n)
        expect(await call.status).toMatchObject({ code: 'OK' })
      }
    })
  })

  describe('writes', () => {
    /** Splits a coin off the gas coin, and transfers it. */
    const gift = (amount: bigint) => {
      const transaction = new Transaction()
      const [coin] = transaction.splitCoins(transaction.gas, [amount])
      transaction.transferObjects([coin], recipient)
      transaction.setSender(owner)
      return transaction
    }

    it('a transaction whose gas the node selects, which then appears in a checkpoint', async () => {
      const stop = new AbortController()
      onTestFinished(() => stop.abort())
      const stream = client.subscriptionService.subscribeCheckpoints(
        { readMask: { paths: ['*'] } },
        { abort: stop.signal },
      )
      await stream.headers
      const checkpoints = stream.responses[Symbol.asyncIterator]()
      const smallCoin = idOf('coin', 2)
      const transaction = gift(1_000_000_000n)
      transaction.transferObjects([transaction.object(smallCoin)], recipient)
      const include = {
        effects: true,
        balanceChanges: true,
        transaction: true,
        bcs: true,
        objectTypes: true,
      } as const
      const { Transaction: done } = await client.signAndExecuteTransaction({
        transaction,
        signer: keys,
        include,
      })
      if (!done) throw new Error('the transaction was meant to succeed')
      expect(done.balanceChanges).toEqual([
        { address: owner, coinType: suiType, amount: `${-1_000_000_700n - gasCost}` },
        { address: recipient, coinType: suiType, amount: '1000000700' },
      ])
      expect(done.effects?.changedObjects.map(({ idOperation }) => idOperation).toSorted()).toEqual([
        'Created',
        'Deleted',
        'None',
        'None',
      ])
      expect(new Set(Object.values(done.objectTypes ?? {}))).toEqual(new Set([coinType]))
      // The node stores what was signed.
      const signed = await keys.signTransaction(done.bcs ?? new Uint8Array())
      expect(done.signatures).toEqual([signed.signature])

      const next = await checkpoints.next()
      const value = next.done ? undefined : next.value
      expect(value?.cursor).toBe(1n)
      expect(value?.checkpoint?.transactions.map(({ digest }) => digest)).toEqual([done.digest])
      expect(value?.checkpoint?.transactions[0]?.signatures[0]?.bcs?.value).toEqual(
        fromBase64(signed.signature),
      )
      stop.abort()
      expect((await failureOf(checkpoints.next())).code).toBe('CANCELLED')
      await vi.waitUntil(() => node.openCalls === 0, 20_000)

      const { Transaction: received } = await client.waitForTransaction({ digest: done.digest, include })
      expect(received).toEqual(done)
      expect((await client.getBalance({ owner: recipient })).balance.balance).toBe('1000000700')
      const pages = [await client.core.listTransactions({ filter: { sender: owner }, limit: 1 })]
      expect(pages[0]?.transactions.map(({ Transaction: executed }) => executed?.digest)).toEqual([
        done.digest,
      ])
      expect((await client.core.listTransactions({ filter: { sender: recipient } })).transactions).toEqual([])
    })

    it('simulations, and receives the reason of a failed transaction', async () => {
      const bytes = await gift(5n).build({ client })
      const simulated = await client.simulateTransaction({
        transaction: bytes,
        include: { balanceChanges: true, commandResults: true },
      })
      expect(simulated.Transaction?.balanceChanges).toContainEqual({
        address: recipient,
        coinType: suiType,
        amount: '5',
      })
      expect(simulated.commandResults?.[0]?.returnValues).toEqual([{ bcs: bcs.u64().serialize(5).toBytes() }])

      const excessive = gift(10n ** 15n)
      const failure = await failureOf(
        client.signAndExecuteTransaction({ transaction: excessive, signer: keys }),
      )
      expect(failure).toBeInstanceOf(SimulationError)
      expect(failure).toMatchObject({
        message: expect.stringContaining('InsufficientCoinBalance') as string,
        executionError: { command: 0 },
      })
      const { objects } = await client.listCoins({ owner })
      const [coin] = objects
      if (!coin) throw new Error('the owner has a coin')
      excessive.setGasPayment([{ objectId: coin.objectId, version: coin.version, digest: coin.digest }])
      excessive.setGasBudget(gasCost)
      excessive.setGasPrice(gasPrice)
      const { signature } = await keys.signTransaction(await excessive.build())
      const request = { transaction: await excessive.build(), signatures: [signature] }
      const { FailedTransaction: failed } = await client.executeTransaction(request)
      expect(failed?.status).toMatchObject({ success: false, error: { command: 0 } })
      // The gas coin has a new version by then.
      const stale = await failureOf(client.executeTransaction(request))
      expect(stale.code).toBe('FAILED_PRECONDITION')
      expect(stale.message).toMatch(/^Object 0x\w{64} is at version \d, 100% — not \d$/)
      const status = RpcStatus.decode(fromBase64(String(stale.meta['grpc-status-details-bin'])))
      expect(status).toMatchObject({ code: 9, message: stale.message })
      const [detail] = status.details
      expect(ObjectReference.decode(detail?.value ?? new Uint8Array())).toMatchObject({
        objectId: coin.objectId,
        version: BigInt(coin.version ?? 0) + 1n,
      })
    })

    it('only with the signature of the sender', async () => {
      const bytes = await gift(5n).build({ client })
      const { signature } = await Ed25519Keypair.generate().signTransaction(bytes)
      const before = ledger.checkpoints.length
      const failure = await failureOf(
        client.executeTransaction({ transaction: bytes, signatures: [signature] }),
      )
      expect(failure).toMatchObject({ code: 'INVALID_ARGUMENT', message: 'Invalid user signature' })
      expect(ledger.checkpoints.length).toBe(before)
    })
  })

  describe('receives', () => {
    it('an error for an unknown token and for missing objects', async () => {
      for (const invalidToken of ['', 'c4n4ry-wrong']) {
        const failure = await failureOf(clientOf(invalidToken).getReferenceGasPrice())
        expect(failure.code).toBe('UNAUTHENTICATED')
        expect(JSON.stringify([failure.message, failure.meta])).not.toContain('c4n4ry')
      }
      const missingPackage = await failureOf(client.movePackageService.getPackage({ packageId: '0x2' }))
      expect(missingPackage.code).toBe('UNIMPLEMENTED')
      const mask = await failureOf(
        client.ledgerService.getObject({ objectId: parent, readMask: { paths: ['no_field'] } }),
      )
      expect(mask).toMatchObject({ code: 'INVALID_ARGUMENT', message: 'invalid read_mask path: noField' })
      const transaction = await failureOf(client.getTransaction({ digest: 'none' }))
      expect(transaction).toBeInstanceOf(TransactionError)
      expect(transaction).toMatchObject({ reason: 'notFound' })
    })

    it('DEADLINE_EXCEEDED', async () => {
      const failure = await failureOf(
        client.subscriptionService.subscribeCheckpoints({}, { timeout: 200 }).status,
      )
      expect(failure.code).toBe('DEADLINE_EXCEEDED')
      await vi.waitUntil(() => node.openCalls === 0, 20_000)
    })

    it('no secret, and neither does the log', async () => {
      const metrics = await (await fetch(`${baseUrl}/metrics`)).text()
      expect(metrics).toContain('method="/sui.rpc.v2.LedgerService/GetEpoch"')
      const output = `${metrics}${gateway.output()}`
      expect(output.split(token).length, 'how often the token is printed, plus 1').toBe(2)
      expect(output).not.toContain(new URL(node.url).host)
      expect(output).not.toContain('c4n4ry')
    })
  })
})
