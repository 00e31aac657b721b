import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts what must be read again but must not lie open in a database. */
export interface Encryptor {
  /** Names the key without saying anything about it. */
  readonly keyId: string
  /**
   * Encrypts a text.
   *
   * @param context - where the text belongs, such as the id of its record; it opens nowhere else
   */
  seal(text: string, context: string): string
  /**
   * Gives a sealed text back.
   *
   * @throws {@link EncryptionError} when it was sealed with another key or for another context, or was changed
   */
  open(sealed: string, context: string): string
  /**
   * Gives a text by which another one can be known again but not guessed: HMAC-SHA-256 in base64url.
   *
   * @param context - where the text belongs; elsewhere the same text has another fingerprint
   */
  fingerprint(text: string, context: string): string
}

/** A sealed text cannot be opened. The message holds neither the text nor the key. */
export class EncryptionError extends Error {
  override readonly name = 'EncryptionError'
}

const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16
const version = 'v1'
const cipher = 'aes-256-gcm'

/**
 * Makes an encryptor: AES-256-GCM with a random nonce of 96 bits (NIST SP 800-38D) under a key derived from the given one.
 * A sealed text is `v1.<key id>.<nonce, ciphertext and tag in base64url>`.
 *
 * @param secretKey - 32 random bytes
 */
export function createEncryptor(secretKey: Uint8Array): Encryptor {
  if (secretKey.length !== keyBytes) throw new EncryptionError('A secret key has 32 bytes.')
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'fairlead sealing', keyBytes))
  const fingerprintKey = Buffer.from(hkdfSync('sha256', secretKey, '', 'fairlead fingerprints', keyBytes))
  const keyId = createHmac('sha256', secretKey).update('fairlead key id').digest('hex').slice(0, 16)
  return {
    keyId,
    seal: (text, context) => {
      const nonce = randomBytes(nonceBytes)
      const sealing = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes })
      sealing.setAAD(Buffer.from(context))
      const parts = [nonce, sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()]
      return `${version}.${keyId}.${Buffer.concat(parts).toString('base64url')}`
    },
    open: (sealed, context) => {
      const [itsVersion, itsKey, body = ''] = sealed.split('.')
      if (itsVersion !== version) throw new EncryptionError('A sealed text is of an unknown version.')
      if (itsKey !== keyId) throw new EncryptionError('A sealed text was sealed with another key.')
      const bytes = Buffer.from(body, 'base64url')
      try {
        const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), {
          authTagLength: tagBytes,
        })
        opening.setAAD(Buffer.from(context))
        opening.setAuthTag(bytes.subarray(-tagBytes))
        const text = opening.update(bytes.subarray(nonceBytes, -tagBytes))
        return Buffer.concat([text, opening.final()]).toString('utf8')
      } catch {
        throw new EncryptionError('A sealed text was changed or belongs elsewhere.')
      }
    },
    fingerprint: (text, context) =>
      createHmac('sha256', fingerprintKey).update(`${context}\n${text}`).digest('base64url'),
  }
}

/** Reads a key of 32 bytes written as 64 hex digits or in base64; undefined for zeros, and when the text is neither. */
export function parseSecretKey(text: string): Uint8Array | undefined {
  const bytes = /^[0-9a-fA-F]{64}$/.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64')
  return bytes.length === keyBytes && secretKeyForm.test(text) ? bytes : undefined
}

/**
 * How a key is written: 64 hex digits, or 32 bytes in base64 of either alphabet. Zeros are what stands in an example until
 * somebody writes a key there.
 */
export const secretKeyForm = /^(?!0{64}$|A{42}[A-D]=?$)(?:[0-9a-fA-F]{64}|[A-Za-z0-9+/_-]{43}=?)$/

/** {@link secretKeyForm} in words. */
export const secretKeyRule = '32 random bytes, not zeros, as 64 hex digits or in base64'
