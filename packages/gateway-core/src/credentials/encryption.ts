import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts data that must be readable later but must not be stored in plain text. */
export interface Encryptor {
  /** Identifies the key without revealing anything about it. */
  readonly keyId: string
  /**
   * Encrypts a text.
   *
   * @param context - where the text belongs, such as the id of its record; it cannot be decrypted with another context
   */
  encrypt(text: string, context: string): string
  /**
   * Decrypts an encrypted text.
   *
   * @throws {@link EncryptionError} when it was encrypted with another key or for another context, or was changed
   */
  decrypt(ciphertext: string, context: string): string
  /**
   * Returns a value that identifies a text without revealing it: HMAC-SHA-256 in base64url.
   *
   * @param context - where the text belongs; the same text has a different fingerprint in another context
   */
  fingerprint(text: string, context: string): string
}

/** An encrypted text cannot be decrypted. The message contains neither the text nor the key. */
export class EncryptionError extends Error {
  override readonly name = 'EncryptionError'
}

const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16
const version = 'v1'
const algorithm = 'aes-256-gcm'

/**
 * Creates an encryptor: AES-256-GCM with a random nonce of 96 bits (NIST SP 800-38D) and a key derived from the given
 * one. An encrypted text has the form `v1.<key id>.<nonce, ciphertext and tag in base64url>`.
 *
 * @param secretKey - 32 random bytes
 */
export function createEncryptor(secretKey: Uint8Array): Encryptor {
  if (secretKey.length !== keyBytes) throw new EncryptionError('A secret key must have 32 bytes.')
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'fairlead sealing', keyBytes))
  const fingerprintKey = Buffer.from(hkdfSync('sha256', secretKey, '', 'fairlead fingerprints', keyBytes))
  const keyId = createHmac('sha256', secretKey).update('fairlead key id').digest('hex').slice(0, 16)
  return {
    keyId,
    encrypt: (text, context) => {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
      cipher.setAAD(Buffer.from(context))
      const parts = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
      return `${version}.${keyId}.${Buffer.concat(parts).toString('base64url')}`
    },
    decrypt: (ciphertext, context) => {
      const [itsVersion, itsKey, body = ''] = ciphertext.split('.')
      if (itsVersion !== version) throw new EncryptionError('The encrypted text has an unknown version.')
      if (itsKey !== keyId) throw new EncryptionError('The text was encrypted with another key.')
      const bytes = Buffer.from(body, 'base64url')
      try {
        const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), {
          authTagLength: tagBytes,
        })
        decipher.setAAD(Buffer.from(context))
        decipher.setAuthTag(bytes.subarray(-tagBytes))
        const text = decipher.update(bytes.subarray(nonceBytes, -tagBytes))
        return Buffer.concat([text, decipher.final()]).toString('utf8')
      } catch {
        throw new EncryptionError('The encrypted text was modified or belongs to another record.')
      }
    },
    fingerprint: (text, context) =>
      createHmac('sha256', fingerprintKey).update(`${context}\n${text}`).digest('base64url'),
  }
}

/**
 * Parses a key of 32 bytes in hex (64 digits) or base64; undefined when the text has neither form, and for a key of
 * zeros.
 */
export function parseSecretKey(text: string): Uint8Array | undefined {
  const bytes = /^[0-9a-fA-F]{64}$/.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64')
  return bytes.length === keyBytes && secretKeyForm.test(text) ? bytes : undefined
}

/**
 * The form of a key: 64 hex digits, or 32 bytes in base64 of either alphabet. A key of zeros is a placeholder in
 * examples and is not valid.
 */
export const secretKeyForm = /^(?!0{64}$|A{42}[A-D]=?$)(?:[0-9a-fA-F]{64}|[A-Za-z0-9+/_-]{43}=?)$/

/** {@link secretKeyForm} in words. */
export const secretKeyRule = '32 random bytes, not zeros, as 64 hex digits or in base64'
