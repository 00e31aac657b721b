import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'

const alphanumerics = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
// Without l, o, 0 and 1, so that a password is not misread when it is read aloud or copied by hand.
const readable = 'abcdefghijkmnpqrstuvwxyz23456789'

const apiKeyForm = /^([A-Za-z0-9]{8})\.[A-Za-z0-9]{32}$/

/** A new API key, and its prefix, which can be shown and looked up. */
export interface GeneratedApiKey {
  readonly key: string
  readonly prefix: string
}

/** A new username and password pair. */
export interface GeneratedBasicCredential {
  readonly username: string
  readonly password: string
}

/**
 * Generates an API key: eight public characters, a dot, and 32 secret characters. The caller makes sure that prefixes
 * are unique.
 */
export function generateApiKey(): GeneratedApiKey {
  const prefix = randomText(8, alphanumerics)
  return { prefix, key: `${prefix}.${randomText(32, alphanumerics)}` }
}

/** The public prefix of an API key, or undefined when the text is not a valid key. */
export function apiKeyPrefix(key: string): string | undefined {
  return apiKeyForm.exec(key)?.[1]
}

/** Generates a node token of 128 random bits, safe in a URL path. */
export function generateNodeToken(): string {
  return randomBytes(16).toString('hex')
}

/** Generates an x-token of 128 random bits, safe as a metadata value. */
export function generateXToken(): string {
  return randomBytes(16).toString('hex')
}

/** Generates a readable username and a password of 100 random bits; neither contains a colon. */
export function generateBasicCredential(): GeneratedBasicCredential {
  return {
    username: `user-${randomText(6, readable)}`,
    password: generatePassword(),
  }
}

/** Generates a password of 100 random bits that is easy to read aloud. */
export function generatePassword(): string {
  return Array.from({ length: 4 }, () => randomText(5, readable)).join('-')
}

/** Hex SHA-256 of a text in UTF-8. Random secrets need no slow hash, because they cannot be guessed. */
export function sha256Hex(value: string): string {
  return hash('sha256', value)
}

/** Compares two texts in a time that depends only on their lengths. */
export function equalInConstantTime(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left, 'utf8'), Buffer.from(right, 'utf8')]
  return a.length === b.length && timingSafeEqual(a, b)
}

// `randomInt` has no modulo bias, so every character is equally likely.
function randomText(length: number, alphabet: string): string {
  return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('')
}
