import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { getAddressDecoder, type Address } from '@solana/kit'

/** A key pair of the chain. */
export interface Signer {
  /** base58 */
  readonly address: Address
  readonly publicKey: Uint8Array
  sign(message: Uint8Array): Uint8Array
}

// The PKCS #8 prefix of the 32 secret bytes of an Ed25519 key.
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

/**
 * Derives a key pair.
 *
 * @param seed Secret of the chain.
 * @param name Name of the key; the same name always results in the same pair.
 */
export function deriveSigner(seed: Uint8Array, name: string): Signer {
  const secret = createHash('sha256').update(seed).update(name).digest()
  const key = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, secret]), format: 'der', type: 'pkcs8' })
  const publicKey = Uint8Array.from(
    createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32),
  )
  return {
    address: getAddressDecoder().decode(publicKey),
    publicKey,
    sign: (message) => Uint8Array.from(sign(null, message, key)),
  }
}
