import {
  Argument_ArgumentKind,
  type Argument,
  type Command,
  type Input,
  Input_InputKind,
  Transaction,
  TransactionKind_Kind,
} from '@fairlead/grpc/sui'
import { bcs } from '@mysten/sui/bcs'
import { fromBase64 } from '@mysten/sui/utils'

/**
 * Decodes the bytes that a sender signs.
 *
 * @param bytes - `TransactionData` in BCS, as the SDK encodes it
 * @returns the transaction as a message of the node; supports only the inputs and commands that the tests use
 */
export function readTransaction(bytes: Uint8Array): Transaction {
  const { sender, gasData, kind } = bcs.TransactionData.parse(bytes).V1
  const { inputs, commands } = kind.ProgrammableTransaction ?? { inputs: [], commands: [] }
  return Transaction.fromPartial({
    bcs: { name: 'TransactionData', value: bytes },
    version: 1,
    sender,
    gasPayment: {
      objects: gasData.payment.map((coin) => ({ ...coin, version: BigInt(coin.version) })),
      owner: gasData.owner,
      price: BigInt(gasData.price),
      budget: BigInt(gasData.budget),
    },
    kind: {
      kind: TransactionKind_Kind.PROGRAMMABLE_TRANSACTION,
      data: {
        $case: 'programmableTransaction',
        value: { inputs: inputs.map(readInput), commands: commands.map(readCommand) },
      },
    },
  })
}

type ParsedProgram = NonNullable<
  ReturnType<typeof bcs.TransactionData.parse>['V1']['kind']['ProgrammableTransaction']
>
type ParsedCommand = ParsedProgram['commands'][number]
type ParsedArgument = NonNullable<ParsedCommand['SplitCoins']>['coin']

function readInput({ Pure, Object: object }: ParsedProgram['inputs'][number]): Partial<Input> {
  if (Pure) return { kind: Input_InputKind.PURE, pure: fromBase64(Pure.bytes) }
  if (!object?.ImmOrOwnedObject) throw new Error('the ledger knows no such input')
  const { objectId, version, digest } = object.ImmOrOwnedObject
  return { kind: Input_InputKind.IMMUTABLE_OR_OWNED, objectId, version: BigInt(version), digest }
}

function readCommand({ SplitCoins, TransferObjects }: ParsedCommand): Command {
  if (SplitCoins) {
    const { coin, amounts } = SplitCoins
    const value = { coin: readArgument(coin), amounts: amounts.map(readArgument) }
    return { command: { $case: 'splitCoins', value } }
  }
  if (!TransferObjects) throw new Error('the ledger knows no such command')
  const { objects, address } = TransferObjects
  const value = { objects: objects.map(readArgument), address: readArgument(address) }
  return { command: { $case: 'transferObjects', value } }
}

function readArgument({ GasCoin, Input, Result, NestedResult }: ParsedArgument): Argument {
  if (GasCoin) return { kind: Argument_ArgumentKind.GAS }
  if (Input !== undefined) return { kind: Argument_ArgumentKind.INPUT, input: Input }
  if (Result !== undefined) return { kind: Argument_ArgumentKind.RESULT, result: Result }
  if (!NestedResult) throw new Error('an argument has one of the four forms')
  return { kind: Argument_ArgumentKind.RESULT, result: NestedResult[0], subresult: NestedResult[1] }
}
