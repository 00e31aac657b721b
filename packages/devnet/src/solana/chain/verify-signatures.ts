import { createPublicKey, verify } from 'node:crypto'
import { errorBytes, signatureFailure } from './error-bytes.ts'
import { TransactionRefused } from './transaction-refused.ts'
import type { WireTransaction } from './wire-transaction.ts'

// The SPKI prefix of the 32 bytes of an Ed25519 key.
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex')

/**
 * Verifies the signatures of a transaction, which a validator does before any other check.
 *
 * @throws {@link TransactionRefused} with SignatureFailure
 */
export function verifySignatures({ content, signed }: WireTransaction): void {
  const { accountKeys } = content.message
  const areValid = content.signatures.every((signature, position) => {
    const key = accountKeys[position]
    return key !== undefined && verify(null, signed, readKey(key), signature)
  })
  if (!areValid) throw new TransactionRefused(errorBytes(signatureFailure))
}

function readKey(key: Uint8Array) {
  return createPublicKey({ key: Buffer.concat([spkiPrefix, key]), format: 'der', type: 'spki' })
}
