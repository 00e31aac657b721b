import { getBase58Decoder } from '@solana/kit'
import { CommitmentLevel } from '@fairlead/grpc/geyser'
import type { SignatureStatus, SolanaChain } from '../../../chain/solana-chain.ts'
import { TransactionRefused } from '../../../chain/transaction-refused.ts'
import { decodeTransaction, signatureOf } from '../encoded-transaction.ts'
import { inContext, type Method } from '../method.ts'
import {
  invalid,
  readCommitment,
  readFlag,
  readOptions,
  readPublicKey,
  readSignature,
  readText,
  readUnsigned,
} from '../parameters.ts'
import { RpcCode, RpcError, signatureFault } from '../rpc-error.ts'
import { describeTransactionError, readTransactionError } from '../transaction-error.ts'

const maxSignatures = 256
const confirmationStatuses = {
  [CommitmentLevel.PROCESSED]: 'processed',
  [CommitmentLevel.CONFIRMED]: 'confirmed',
  [CommitmentLevel.FINALIZED]: 'finalized',
} as const

/** Methods about transactions. */
export const transactionMethods: Readonly<Record<string, Method>> = {
  sendTransaction: async (parameters, chain) => {
    const options = readOptions(parameters, 1)
    const transaction = decodeTransaction(
      readText(parameters, 0, 'transaction'),
      options['encoding'] ?? undefined,
    )
    readCommitment(options, 'preflightCommitment')
    const skipPreflight = readFlag(options, 'skipPreflight')
    try {
      return encodeBase58(await chain.send(transaction, { skipPreflight }))
    } catch (error) {
      if (!(error instanceof TransactionRefused)) throw error
      // Without preflight, the sender receives no error when the transaction is rejected.
      if (skipPreflight) return encodeBase58(signatureOf(transaction))
      throw describePreflight(error)
    }
  },
  getSignatureStatuses: ([signatures], chain) => {
    if (!Array.isArray(signatures) || signatures.length > maxSignatures)
      throw invalid('signatures', `a list of at most ${maxSignatures} signatures`)
    const { slot } = chain.tip(CommitmentLevel.PROCESSED)
    const statuses = signatures.map((signature, index) =>
      describeStatus(chain.statusOf(readSignature(signature, `signatures[${index}]`)), slot),
    )
    return inContext(slot, statuses)
  },
  requestAirdrop: async (parameters, chain) => {
    const key = readPublicKey(parameters[0])
    const lamports = readUnsigned(parameters[1], 'lamports')
    readCommitment(readOptions(parameters, 2))
    return encodeBase58(await airdrop(chain, key, lamports))
  },
}

function describePreflight(refused: TransactionRefused): RpcError {
  const err = readTransactionError(refused.err)
  if (err === 'SignatureFailure') return signatureFault()
  const message = `Transaction simulation failed: ${describeTransactionError(err)}`
  return new RpcError(RpcCode.preflightFailure, message, {
    accounts: null,
    err,
    innerInstructions: null,
    loadedAccountsDataSize: null,
    logs: refused.logs,
    replacementBlockhash: null,
    returnData: null,
    unitsConsumed: refused.unitsConsumed,
  })
}

function describeStatus(status: SignatureStatus | undefined, latest: bigint): object | null {
  if (status === undefined) return null
  const { slot, commitment } = status
  const err = status.err === undefined ? null : readTransactionError(status.err)
  return {
    slot,
    confirmations: commitment === CommitmentLevel.FINALIZED ? null : latest < slot ? 0n : latest - slot,
    err,
    status: err === null ? { Ok: null } : { Err: err },
    confirmationStatus: confirmationStatuses[commitment],
  }
}

async function airdrop(chain: SolanaChain, key: Uint8Array, lamports: bigint): Promise<Uint8Array> {
  try {
    return await chain.airdrop(key, lamports)
  } catch (error) {
    if (!(error instanceof TransactionRefused)) throw error
    const message = describeTransactionError(readTransactionError(error.err))
    throw new RpcError(RpcCode.internalError, `The faucet could not give the lamports: ${message}`)
  }
}

function encodeBase58(bytes: Uint8Array): string {
  return getBase58Decoder().decode(bytes)
}
