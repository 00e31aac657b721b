import { createGrpcServer, GrpcError, type GrpcServer, implement, Status } from '@fairlead/grpc-transport'
import {
  DynamicField,
  DynamicField_DynamicFieldKind,
  GetCoinInfoResponse,
  GetEpochResponse,
  type GetObjectResult,
  GetServiceInfoResponse,
  LedgerServiceDefinition,
  ListTransactionsResponse,
  NameServiceDefinition,
  Object as SuiObject,
  Ordering,
  QueryEndReason,
  SimulateTransactionResponse,
  StateServiceDefinition,
  SubscriptionServiceDefinition,
  TransactionExecutionServiceDefinition,
} from '@fairlead/grpc/sui'
import { bcs } from '@mysten/sui/bcs'
import { normalizeStructTag } from '@mysten/sui/utils'
import { on } from 'node:events'
import type { SuiLedger } from './sui-ledger.ts'
import { gasPrice } from './sui-ledger.ts'
import { suiType } from './sui-objects.ts'

/** Serves a chain as a Sui node does. */
export async function startSuiNode(ledger: SuiLedger): Promise<GrpcServer> {
  const server = createGrpcServer({
    implementations: [ledgerService(ledger), ...stateServices(ledger), ...writeServices(ledger)],
  })
  await server.listen()
  return server
}

function ledgerService({ objects, transactions, checkpoints }: SuiLedger) {
  const objectOf = (id: string | undefined, mask: readonly string[] | undefined): SuiObject => {
    const found = objects.get(id ?? '')
    if (!found) throw new GrpcError(Status.NOT_FOUND, `Object ${id} not found`)
    return masked(found, mask)
  }
  return implement(LedgerServiceDefinition, {
    getServiceInfo: (_, call) => {
      call.sendHeaders({ 'x-sui-chain': 'testing', 'x-sui-epoch': '7' })
      return GetServiceInfoResponse.fromPartial({
        chainId: 'EiRpAQ1VCdBbCLkqAvjhnbMdHFmrnjTUMktVGGJiKvZr',
        chain: 'testing',
        epoch: 7n,
        checkpointHeight: BigInt(checkpoints.length - 1),
        server: 'sui-node/1.0.0',
      })
    },
    getObject: ({ objectId, readMask }) => ({ object: objectOf(objectId, readMask) }),
    batchGetObjects: ({ requests, readMask }) => ({
      objects: requests.map(({ objectId }): GetObjectResult => {
        try {
          return { result: { $case: 'object', value: objectOf(objectId, readMask) } }
        } catch (error) {
          if (!GrpcError.is(error) || error.code !== Status.NOT_FOUND) throw error
          const value = { code: error.code, message: error.detail, details: [] }
          return { result: { $case: 'error', value } }
        }
      }),
    }),
    getTransaction: ({ digest }) => {
      const transaction = transactions.find((candidate) => candidate.digest === digest)
      if (!transaction) throw new GrpcError(Status.NOT_FOUND, `Transaction ${digest} not found`)
      return { transaction }
    },
    getCheckpoint: ({ checkpointId }) => {
      const checkpoint = checkpoints.find(({ sequenceNumber, digest }) =>
        [sequenceNumber, digest].includes(checkpointId?.value),
      )
      if (!checkpoint && checkpointId) throw new GrpcError(Status.NOT_FOUND, 'no such checkpoint')
      return { checkpoint: checkpoint ?? checkpoints.at(-1) }
    },
    getEpoch: () =>
      GetEpochResponse.fromPartial({
        epoch: {
          epoch: 7n,
          referenceGasPrice: gasPrice,
          start: { seconds: 1_700_000_000n, nanos: 0 },
          protocolConfig: {
            protocolVersion: 100n,
            featureFlags: { on: true, off: false },
            attributes: { max_tx_gas: '50000000000', none: '' },
          },
          systemState: { version: 2n, epoch: 7n, protocolVersion: 100n, referenceGasPrice: gasPrice },
        },
      }),
    async *listTransactions({ filter, options }) {
      const sender = filter?.terms[0]?.literals[0]?.predicate
      const isMatch = (address: string | undefined) =>
        sender === undefined || (sender.$case === 'sender' && sender.value.address === address)
      const found = transactions.filter(({ transaction }) => isMatch(transaction?.sender))
      const ordered = options?.ordering === Ordering.ORDERING_DESCENDING ? found.toReversed() : found
      const [after] = options?.after ?? [-1]
      const rest = ordered.filter((transaction) => transactions.indexOf(transaction) > (after ?? -1))
      for (const transaction of rest.slice(0, options?.limit)) {
        const cursor = Uint8Array.of(transactions.indexOf(transaction))
        yield ListTransactionsResponse.fromPartial({ transaction, watermark: { cursor } })
      }
      yield ListTransactionsResponse.fromPartial({
        end: { reason: QueryEndReason.QUERY_END_REASON_LEDGER_TIP },
      })
    },
  })
}

function stateServices({ objects }: SuiLedger) {
  const coinsOf = (owner: string | undefined) =>
    [...objects.values()].filter((object) => object.balance !== undefined && object.owner?.address === owner)
  const balanceOf = (owner: string | undefined) => {
    const balance = coinsOf(owner).reduce((sum, coin) => sum + (coin.balance ?? 0n), 0n)
    return { coinType: suiType, balance, coinBalance: balance, addressBalance: 0n }
  }
  const state = implement(StateServiceDefinition, {
    getBalance: ({ owner }) => ({ balance: balanceOf(owner) }),
    listBalances: ({ owner }) => ({ balances: [balanceOf(owner)] }),
    getCoinInfo: ({ coinType = '' }) => {
      if (normalizeStructTag(coinType) !== suiType) throw new GrpcError(Status.NOT_FOUND, 'no such coin')
      const metadata = { decimals: 9, name: 'Sui', symbol: 'SUI', description: 'Größe — 水' }
      return GetCoinInfoResponse.fromPartial({ coinType, metadata })
    },
    listOwnedObjects: ({ owner, objectType, pageSize = 50, pageToken, readMask }) => {
      const all = coinsOf(owner).filter(
        (coin) => objectType === undefined || normalizeStructTag(objectType) === coin.objectType,
      )
      const start = pageToken?.[0] ?? 0
      const page = all.slice(start, start + pageSize).map((coin) => masked(coin, readMask))
      const end = start + page.length
      return { objects: page, ...(end < all.length && { nextPageToken: Uint8Array.of(end) }) }
    },
    listDynamicFields: ({ parent }) => ({
      dynamicFields: [...objects.values()].flatMap(({ objectId, owner, contents, balance }) => {
        if (owner?.address !== parent || balance !== undefined) return []
        const [name, value] = [contents?.value?.slice(32, 40), contents?.value?.slice(40)]
        const field = { parent, fieldId: objectId, valueType: 'u64' }
        const kind = DynamicField_DynamicFieldKind.FIELD
        return [
          DynamicField.fromPartial({
            ...field,
            kind,
            name: { name: 'u64', value: name },
            value: { name: 'u64', value },
          }),
        ]
      }),
    }),
  })
  const names = implement(NameServiceDefinition, {
    lookupName: ({ name }) => {
      if (name !== 'known.sui') throw new GrpcError(Status.RESOURCE_EXHAUSTED, 'name has expired')
      return { record: { name, targetAddress: `0x${'5'.repeat(64)}`, data: { avatar: 'a', empty: '' } } }
    },
  })
  return [state, names]
}

function writeServices(ledger: SuiLedger) {
  const execution = implement(TransactionExecutionServiceDefinition, {
    simulateTransaction: ({ transaction, doGasSelection }) => {
      if (!transaction) throw new GrpcError(Status.INVALID_ARGUMENT, 'transaction is missing')
      const simulated = ledger.simulate(transaction, doGasSelection ?? false)
      const value = { name: 'u64', value: bcs.u64().serialize(5).toBytes() }
      return SimulateTransactionResponse.fromPartial({
        transaction: simulated,
        commandOutputs: [{ returnValues: [{ value }] }],
        suggestedGasPrice: gasPrice,
      })
    },
    executeTransaction: async ({ transaction, signatures }) => {
      const bytes = transaction?.bcs?.value
      if (!bytes) throw new GrpcError(Status.INVALID_ARGUMENT, 'transaction is missing')
      return { transaction: await ledger.execute(bytes, signatures) }
    },
  })
  const subscription = implement(SubscriptionServiceDefinition, {
    async *subscribeCheckpoints(_, { signal }) {
      for await (const [checkpoint] of on(ledger.changes, 'checkpoint', { signal })) {
        const { sequenceNumber } = checkpoint as { readonly sequenceNumber?: bigint }
        yield { cursor: sequenceNumber, checkpoint: checkpoint as never }
      }
    },
  })
  return [execution, subscription]
}

/** Keeps the fields of an object that a read mask names, in wire form. */
function masked(object: SuiObject, mask: readonly string[] | undefined): SuiObject {
  if (mask === undefined) return object
  const fields = mask.map((path) => path.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()))
  const unknown = fields.find((field) => !(field in object))
  if (unknown !== undefined)
    throw new GrpcError(Status.INVALID_ARGUMENT, `invalid read_mask path: ${unknown}`)
  return SuiObject.fromPartial(
    Object.fromEntries(fields.map((field) => [field, object[field as keyof SuiObject]])),
  )
}
