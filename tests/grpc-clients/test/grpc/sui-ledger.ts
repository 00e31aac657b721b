import { GrpcError, Status } from '@fairlead/grpc-transport'
import {
  Argument_ArgumentKind,
  type Argument,
  BalanceChange,
  ChangedObject,
  ChangedObject_IdOperation,
  ChangedObject_InputObjectState,
  ChangedObject_OutputObjectState,
  Checkpoint,
  ExecutedTransaction,
  ExecutionError_ExecutionErrorKind,
  type Input,
  Input_InputKind,
  type Object as SuiObject,
  ObjectReference,
  Status as RpcStatus,
  Transaction,
  TransactionEffects,
  type UserSignature,
} from '@fairlead/grpc/sui'
import { bcs } from '@mysten/sui/bcs'
import { toBase64 } from '@mysten/sui/utils'
import { TransactionDataBuilder } from '@mysten/sui/transactions'
import { verifyTransactionSignature } from '@mysten/sui/verify'
import { EventEmitter } from 'node:events'
import { type Coin, coinObject, digestOf, fieldObject, idOf, suiType } from './sui-objects.ts'
import { readTransaction } from './sui-transaction.ts'

export const gasPrice = 750n
export const gasCost = 1_976_000n

/** A small chain with one kind of coin, which splits and transfers coins. */
export interface SuiLedger {
  readonly objects: ReadonlyMap<string, SuiObject>
  /** The executed transactions, in order. */
  readonly transactions: readonly ExecutedTransaction[]
  readonly checkpoints: readonly Checkpoint[]
  /** Emits each new checkpoint as `checkpoint`. */
  readonly changes: EventEmitter<{ checkpoint: [Checkpoint] }>
  /** Fills in what a transaction leaves open, and simulates its execution. */
  simulate(requested: Transaction, choosesGas: boolean): ExecutedTransaction
  /** Executes a signed transaction. Each one creates a checkpoint. */
  execute(bytes: Uint8Array, signatures: readonly UserSignature[]): Promise<ExecutedTransaction>
}

/** Creates a chain on which an address has coins, and the first coin has two dynamic fields. */
export function createSuiLedger(owner: string, balances: readonly bigint[]): SuiLedger {
  const objects = new Map<string, SuiObject>()
  const transactions: ExecutedTransaction[] = []
  const checkpoints: Checkpoint[] = []
  const changes = new EventEmitter<{ checkpoint: [Checkpoint] }>()
  const genesis = digestOf('genesis')
  const write = (object: SuiObject) => void objects.set(object.objectId ?? '', object)
  for (const [index, balance] of balances.entries()) {
    const id = idOf('coin', index)
    write(coinObject({ id, owner, balance, version: 1n, transaction: genesis }))
    if (index === 0) for (const name of [1n, 2n]) write(fieldObject(id, name, name * 100n))
  }
  seal([])

  function seal(executed: ExecutedTransaction[]): void {
    const sequenceNumber = BigInt(checkpoints.length)
    const digest = digestOf('checkpoint', sequenceNumber)
    transactions.push(...executed)
    const summary = { epoch: 7n, sequenceNumber, totalNetworkTransactions: BigInt(transactions.length) }
    const checkpoint = Checkpoint.fromPartial({ sequenceNumber, digest, summary, transactions: executed })
    checkpoints.push(checkpoint)
    changes.emit('checkpoint', checkpoint)
  }

  function coinAt(reference: { readonly objectId?: string | undefined }): Coin {
    const found = objects.get(reference.objectId ?? '')
    if (found?.balance === undefined) {
      throw new GrpcError(Status.NOT_FOUND, `Object ${reference.objectId} not found`)
    }
    const { objectId: id = '', balance, version = 0n, previousTransaction: transaction = '' } = found
    return { id, balance, version, transaction, owner: found.owner?.address ?? '' }
  }

  function atVersion(reference: ObjectReference): Coin {
    const coin = coinAt(reference)
    if (coin.version === reference.version) return coin
    const { objectId, version, digest } = objects.get(coin.id) ?? {}
    const value = ObjectReference.encode({ objectId, version, digest }).finish()
    const message = `Object ${objectId} is at version ${version}, 100% — not ${reference.version}`
    const details = [{ typeUrl: 'type.googleapis.com/sui.rpc.v2.ObjectReference', value }]
    throw new GrpcError(Status.FAILED_PRECONDITION, message, {
      'grpc-status-details-bin': RpcStatus.encode({ code: 9, message, details }).finish(),
    })
  }

  function resolve(requested: Transaction, choosesGas: boolean): Transaction {
    const transaction = Transaction.decode(Transaction.encode(requested).finish())
    const payment = (transaction.gasPayment ??= { objects: [] })
    payment.price ??= gasPrice
    payment.budget ??= 2n * gasCost
    const named = programOf(transaction).inputs.map(({ objectId }) => objectId)
    if (choosesGas && payment.objects.length === 0) {
      for (const { objectId, version, digest, balance, owner: holder } of objects.values()) {
        if (balance === undefined || holder?.address !== transaction.sender) continue
        if (!named.includes(objectId)) payment.objects.push({ objectId, version, digest })
      }
    }
    for (const input of programOf(transaction).inputs) {
      if (input.objectId === undefined) continue
      const { id, version } = coinAt(input)
      input.kind = Input_InputKind.IMMUTABLE_OR_OWNED
      input.version ??= version
      input.digest ??= objects.get(id)?.digest
    }
    return transaction
  }

  /** Computes the effects of a transaction. If it fails, `written` is empty except for the gas coin. */
  function run(transaction: Transaction, digest: string) {
    const sender = transaction.sender ?? ''
    const [gas, ...merged] = (transaction.gasPayment?.objects ?? []).map(atVersion)
    if (!gas) throw new GrpcError(Status.INVALID_ARGUMENT, 'no coin pays for the gas')
    const { inputs, commands } = programOf(transaction)
    const version = [gas, ...merged].reduce((top, coin) => (coin.version > top ? coin.version : top), 0n) + 1n
    const paid = merged.reduce((sum, { balance }) => sum + balance, gas.balance) - gasCost
    const nextVersion = (coin: Coin): Coin => ({ ...coin, version, transaction: digest })
    let written = new Map([[gas.id, nextVersion({ ...gas, balance: paid })]])
    const results: string[][] = []
    const idsOf = (argument: Argument | undefined): readonly string[] => {
      const { kind, input = 0, result = 0, subresult } = argument ?? {}
      if (kind === Argument_ArgumentKind.GAS) return [gas.id]
      if (kind === Argument_ArgumentKind.RESULT) {
        return subresult === undefined ? (results[result] ?? []) : [results[result]?.[subresult] ?? '']
      }
      const coin = atVersion(inputs[input] ?? {})
      if (!written.has(coin.id)) written.set(coin.id, nextVersion(coin))
      return [coin.id]
    }
    const change = (id: string, changed: Partial<Coin>) => {
      const coin = written.get(id)
      if (coin) written.set(id, { ...coin, ...changed })
    }
    let failedCommand: bigint | undefined
    for (const [index, { command }] of commands.entries()) {
      const made: string[] = []
      if (command?.$case === 'splitCoins') {
        const [from = ''] = idsOf(command.value.coin)
        for (const argument of command.value.amounts) {
          const amount = BigInt(bcs.u64().parse(pureOf(inputs, argument)))
          const left = (written.get(from)?.balance ?? 0n) - amount
          if (left < 0n) failedCommand ??= BigInt(index)
          change(from, { balance: left })
          const id = idOf(digest, index, made.length)
          written.set(id, { id, owner: sender, balance: amount, version, transaction: digest })
          made.push(id)
        }
      } else if (command?.$case === 'transferObjects') {
        const to = bcs.Address.parse(pureOf(inputs, command.value.address))
        for (const id of command.value.objects.flatMap(idsOf)) change(id, { owner: to })
      }
      results.push(made)
    }
    if (failedCommand !== undefined) written = new Map([[gas.id, nextVersion({ ...gas, balance: paid })]])
    return { written, deleted: merged, failedCommand, version }
  }

  function describe(transaction: Transaction, digest: string, signatures: readonly UserSignature[]) {
    const { written, deleted, failedCommand, version } = run(transaction, digest)
    const after = [...written.values()].map(coinObject)
    const changedObjects = [
      ...after.map((object) => changeOf(objects.get(object.objectId ?? ''), object)),
      ...deleted.map(({ id }) => changeOf(objects.get(id), undefined)),
    ]
    const effects = TransactionEffects.fromPartial({
      version: 2,
      epoch: 7n,
      transactionDigest: digest,
      lamportVersion: version,
      gasUsed: { computationCost: 1_000_000n, storageCost: 1_976_000n, storageRebate: 1_000_000n },
      gasObject: changedObjects[0],
      changedObjects,
      status:
        failedCommand === undefined
          ? { success: true }
          : {
              success: false,
              error: {
                kind: ExecutionError_ExecutionErrorKind.INSUFFICIENT_COIN_BALANCE,
                command: failedCommand,
                description: 'InsufficientCoinBalance in command',
              },
            },
    })
    const executed = ExecutedTransaction.fromPartial({
      digest,
      transaction: { ...transaction, digest },
      signatures: [...signatures],
      effects,
      balanceChanges: balanceChanges(objects, after, deleted),
      checkpoint: BigInt(checkpoints.length),
      timestamp: { seconds: 1_700_000_000n, nanos: 250_000_000 },
    })
    return { executed, after, deleted }
  }

  return {
    objects,
    transactions,
    checkpoints,
    changes,
    simulate(requested, choosesGas) {
      const decoded = requested.bcs?.value === undefined ? requested : readTransaction(requested.bcs.value)
      const transaction = resolve(decoded, choosesGas)
      return describe(transaction, digestOf(Transaction.encode(transaction).finish()), []).executed
    },
    async execute(bytes, signatures) {
      const transaction = readTransaction(bytes)
      const signature = toBase64(signatures[0]?.bcs?.value ?? new Uint8Array())
      await verifyTransactionSignature(bytes, signature, { address: transaction.sender ?? '' }).catch(() => {
        throw new GrpcError(Status.INVALID_ARGUMENT, 'Invalid user signature')
      })
      const digest = TransactionDataBuilder.getDigestFromBytes(bytes)
      const { executed, after, deleted } = describe(transaction, digest, signatures)
      for (const object of after) write(object)
      for (const { id } of deleted) objects.delete(id)
      seal([executed])
      return executed
    },
  }
}

function programOf({ kind }: Transaction) {
  if (kind?.data?.$case === 'programmableTransaction') return kind.data.value
  throw new GrpcError(Status.INVALID_ARGUMENT, 'the ledger carries out programmable transactions')
}

const pureOf = (inputs: readonly Input[], argument: Argument | undefined): Uint8Array =>
  inputs[argument?.input ?? -1]?.pure ?? new Uint8Array()

function changeOf(before: SuiObject | undefined, after: SuiObject | undefined): ChangedObject {
  const doesNotExist = ChangedObject_InputObjectState.INPUT_OBJECT_STATE_DOES_NOT_EXIST
  const deletedState = ChangedObject_OutputObjectState.OUTPUT_OBJECT_STATE_DOES_NOT_EXIST
  const { CREATED, DELETED, NONE } = ChangedObject_IdOperation
  return ChangedObject.fromPartial({
    objectId: (after ?? before)?.objectId,
    inputState: before ? ChangedObject_InputObjectState.INPUT_OBJECT_STATE_EXISTS : doesNotExist,
    ...(before && { inputVersion: before.version, inputDigest: before.digest, inputOwner: before.owner }),
    outputState: after ? ChangedObject_OutputObjectState.OUTPUT_OBJECT_STATE_OBJECT_WRITE : deletedState,
    ...(after && { outputVersion: after.version, outputDigest: after.digest, outputOwner: after.owner }),
    idOperation: before ? (after ? NONE : DELETED) : CREATED,
    objectType: (after ?? before)?.objectType,
  })
}

function balanceChanges(
  objects: ReadonlyMap<string, SuiObject>,
  after: readonly SuiObject[],
  deleted: readonly Coin[],
): BalanceChange[] {
  const totals = new Map<string, bigint>()
  const add = (object: SuiObject | undefined, sign: bigint) => {
    const address = object?.owner?.address
    if (address === undefined) return
    totals.set(address, (totals.get(address) ?? 0n) + sign * (object?.balance ?? 0n))
  }
  for (const object of after) {
    add(objects.get(object.objectId ?? ''), -1n)
    add(object, 1n)
  }
  for (const { id } of deleted) add(objects.get(id), -1n)
  return [...totals].map(([address, amount]) =>
    BalanceChange.fromPartial({ address, coinType: suiType, amount: `${amount}` }),
  )
}
