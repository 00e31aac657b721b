import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createEncryptor, parseSecretKey } from './encryption.ts'
import { readSecretKey } from './secret-key.ts'

describe('createEncryptor', () => {
  const key = randomBytes(32)
  const encryptor = createEncryptor(key)

  it('decrypts what it encrypted, and never returns the same ciphertext twice', () => {
    for (const text of ['', 'https://user:c4n4ry@node.example', 'ü'.repeat(10_000)]) {
      const ciphertext = encryptor.encrypt(text, 'ND-1')
      expect(ciphertext).toMatch(new RegExp(`^v1\\.${encryptor.keyId}\\.[\\w-]+$`))
      expect(ciphertext).not.toContain('c4n4ry')
      expect(createEncryptor(key).decrypt(ciphertext, 'ND-1')).toBe(text)
      expect(encryptor.encrypt(text, 'ND-1')).not.toBe(ciphertext)
    }
  })

  it('has one fingerprint for a text, a context and a key', () => {
    const fingerprint = encryptor.fingerprint('192.0.2.1', 'CR-1')
    expect(fingerprint).toMatch(/^[\w-]{43}$/)
    expect(createEncryptor(key).fingerprint('192.0.2.1', 'CR-1')).toBe(fingerprint)
    const others = [
      encryptor.fingerprint('192.0.2.2', 'CR-1'),
      encryptor.fingerprint('192.0.2.1', 'CR-2'),
      createEncryptor(randomBytes(32)).fingerprint('192.0.2.1', 'CR-1'),
    ]
    expect(others).not.toContain(fingerprint)
  })

  it('does not decrypt in another context, with another key, or after a change', () => {
    const ciphertext = encryptor.encrypt('c4n4ry', 'ND-1')
    const [, , body = ''] = ciphertext.split('.')
    const other = createEncryptor(randomBytes(32))
    expect(other.keyId).not.toBe(encryptor.keyId)
    const attempts: [typeof encryptor, string, string][] = [
      [encryptor, ciphertext, 'ND-2'],
      [other, ciphertext, 'ND-1'],
      [other, `v1.${other.keyId}.${body}`, 'ND-1'],
      [encryptor, ciphertext.replace('v1.', 'v2.'), 'ND-1'],
      [encryptor, `v1.${encryptor.keyId}.`, 'ND-1'],
      [encryptor, '', 'ND-1'],
    ]
    const bytes = Buffer.from(body, 'base64url')
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      attempts.push([encryptor, `v1.${encryptor.keyId}.${changed.toString('base64url')}`, 'ND-1'])
    }
    for (const [candidate, text, context] of attempts) {
      expect(() => candidate.decrypt(text, context)).toThrow(
        expect.objectContaining({ name: 'EncryptionError' }),
      )
    }
  })
})

describe('the secret key', () => {
  it('is accepted in hex and base64 only', () => {
    const key = randomBytes(32)
    for (const text of [key.toString('hex'), key.toString('base64'), key.toString('base64url')]) {
      expect(Buffer.from(parseSecretKey(text) ?? '').equals(key)).toBe(true)
    }
    const wrong = [
      '',
      'secret',
      key.toString('hex').slice(2),
      randomBytes(31).toString('base64'),
      'g'.repeat(64),
    ]
    for (const text of wrong) expect(parseSecretKey(text)).toBeUndefined()
  })

  it.each(['0'.repeat(64), Buffer.alloc(32).toString('base64')])('must not be zeros: %s', async (zeros) => {
    const directory = await mkdtemp(join(tmpdir(), 'fairlead-key-'))
    const configured = readSecretKey(zeros, directory)
    await expect(configured).rejects.toThrow('FAIRLEAD_SECRET_KEY must contain 32 random bytes, not zeros')
    await expect(configured).rejects.not.toThrow(zeros)
    await writeFile(join(directory, 'secret.key'), zeros)
    await expect(readSecretKey(undefined, directory)).rejects.toThrow(
      'must contain 32 random bytes, not zeros',
    )
    await rm(directory, { recursive: true })
  })

  it('is created once in the data directory, readable by its owner only', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'fairlead-key-'))
    const keys = await Promise.all(Array.from({ length: 8 }, () => readSecretKey(undefined, directory)))
    expect(new Set(keys.map((key) => Buffer.from(key).toString('hex'))).size).toBe(1)
    expect(await readdir(directory)).toEqual(['secret.key'])
    const file = join(directory, 'secret.key')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const written = await readFile(file, 'utf8')
    expect(Buffer.from(written, 'base64').equals(Buffer.from(keys[0] ?? ''))).toBe(true)
    await writeFile(file, 'c4n4ry')
    const rejected = readSecretKey(undefined, directory)
    await expect(rejected).rejects.toThrow(
      'must contain 32 random bytes, not zeros, as 64 hex digits or in base64',
    )
    await expect(rejected).rejects.not.toThrow('c4n4ry')
    const configured = await readSecretKey('ab'.repeat(32), directory)
    expect(Buffer.from(configured).toString('hex')).toBe('ab'.repeat(32))
    await rm(directory, { recursive: true })
  })
})
