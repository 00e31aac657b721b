import { getBase58Decoder } from '@solana/kit'
import { CommitmentLevel } from '@fairlead/grpc/geyser'
import type { Simulation } from '../../../chain/solana-chain.ts'
import { feeOf } from '../../../chain/transaction-fee.ts'
import { describeAccount } from '../described-account.ts'
import { decodeTransaction, readMessage, replaceBlockhash } from '../encoded-transaction.ts'
import { inContext, type Method } from '../method.ts'
import { invalid, readCommitment, readFlag, readOptions, readPublicKey, readText } from '../parameters.ts'
import { signatureFault } from '../rpc-error.ts'
import { readTransactionError } from '../transaction-error.ts'
import { lifetimeOf, tipOf } from './cluster.ts'

const maxAccounts = 100

/** Methods that estimate the effects and costs of a transaction. */
export const simulationMethods: Readonly<Record<string, Method>> = {
  getFeeForMessage: (parameters, chain) => {
    const { content, recentBlockhash } = readMessage(readText(parameters, 0, 'message'))
    const { slot } = tipOf(parameters, 1, chain)
    const isValid = chain.isBlockhashValid(recentBlockhash, readCommitment(readOptions(parameters, 1)))
    return inContext(slot, isValid ? feeOf(content.message) : null)
  },
  simulateTransaction: async (parameters, chain) => {
    const options = readOptions(parameters, 1)
    const transaction = decodeTransaction(
      readText(parameters, 0, 'transaction'),
      options['encoding'] ?? undefined,
    )
    readCommitment(options)
    const verifySignatures = readFlag(options, 'sigVerify')
    const isReplaced = readFlag(options, 'replaceRecentBlockhash')
    if (verifySignatures && isReplaced)
      throw invalid('sigVerify', 'false where replaceRecentBlockhash is true')
    const wantsCalls = readFlag(options, 'innerInstructions')
    const wanted = readWantedAccounts(options['accounts'])
    const tip = chain.tip(CommitmentLevel.PROCESSED)
    const simulated = isReplaced ? replaceBlockhash(transaction, tip.blockhash) : transaction
    const simulation = chain.simulate(simulated, { verifySignatures, accounts: wanted?.keys ?? [] })
    const accounts = wanted?.keys.map((_, index) => describeAccount(simulation.accounts[index], wanted))
    return inContext(simulation.slot, {
      ...describeSimulation(simulation),
      accounts: accounts === undefined ? null : await Promise.all(accounts),
      innerInstructions: wantsCalls ? simulation.innerInstructions.map(describeCalls) : null,
      ...(isReplaced ? { replacementBlockhash: lifetimeOf(tip) } : {}),
    })
  },
}

interface WantedAccounts {
  readonly keys: readonly Uint8Array[]
  readonly encoding: string
}

function readWantedAccounts(value: unknown): WantedAccounts | undefined {
  if (value === undefined || value === null) return undefined
  const { addresses, encoding } = readOptions([value], 0)
  if (!Array.isArray(addresses) || addresses.length > maxAccounts)
    throw invalid('accounts.addresses', `a list of at most ${maxAccounts} public keys`)
  const chosen = encoding ?? 'base64'
  if (typeof chosen !== 'string' || chosen === 'base58')
    throw invalid('accounts.encoding', 'base64, base64+zstd or jsonParsed')
  const keys = addresses.map((key, index) => readPublicKey(key, `accounts.addresses[${index}]`))
  return { keys, encoding: chosen }
}

function describeSimulation(simulation: Simulation): object {
  const { logs, returnData, unitsConsumed } = simulation
  const err = simulation.err === undefined ? null : readTransactionError(simulation.err)
  if (err === 'SignatureFailure') throw signatureFault()
  return {
    err,
    logs,
    returnData:
      returnData === undefined
        ? null
        : {
            programId: encodeBase58(returnData.programId),
            data: [Buffer.from(returnData.data).toString('base64'), 'base64'],
          },
    unitsConsumed,
  }
}

// Like account data, the instructions of programs are not parsed here.
function describeCalls({ index, instructions }: Simulation['innerInstructions'][number]): object {
  return {
    index,
    instructions: instructions.map(({ programIdIndex, accounts, data, stackHeight }) => ({
      programIdIndex,
      accounts: [...accounts],
      data: encodeBase58(data),
      stackHeight: stackHeight ?? null,
    })),
  }
}

function encodeBase58(bytes: Uint8Array): string {
  return getBase58Decoder().decode(bytes)
}
