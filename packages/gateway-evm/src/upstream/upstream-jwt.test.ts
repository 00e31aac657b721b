import { FairleadError } from '@fairlead/core'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createUpstreamJwt, jwtOf, readJwtSecret } from './upstream-jwt.ts'

const secret = Buffer.from('0123456789abcdef'.repeat(4), 'hex')

describe('createUpstreamJwt', () => {
  // Created by another implementation: Python's hmac.
  const header = 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9'

  it('creates the token that the Engine API specifies', () => {
    const { authorization } = createUpstreamJwt(secret, () => 1_700_000_000_999).current()
    expect(authorization).toBe(
      `Bearer ${header}.eyJpYXQiOjE3MDAwMDAwMDB9.StBuGfPc4Se3JizmZ-bbnY8rYegaFGtW-o0Qv80wlBs`,
    )
  })

  it('reuses a token for five seconds, and creates a new one then or when the clock was set back', () => {
    let now = 1_700_000_000_000
    const jwt = createUpstreamJwt(secret, () => now)
    const iatAt = (ms: number) => {
      now = ms
      const [, claims = ''] = jwt.current().authorization.split('.')
      return JSON.parse(Buffer.from(claims, 'base64url').toString()) as unknown
    }
    expect(iatAt(1_700_000_000_000)).toEqual({ iat: 1_700_000_000 })
    const first = jwt.current()
    expect(iatAt(1_700_000_004_999)).toEqual({ iat: 1_700_000_000 })
    expect(jwt.current()).toBe(first)
    expect(iatAt(1_700_000_005_000)).toEqual({ iat: 1_700_000_005 })
    expect(iatAt(1_699_999_000_000)).toEqual({ iat: 1_699_999_000 })
  })
})

describe('readJwtSecret', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairlead-jwt-c4n4ry-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  const fileOf = async (content: string) => {
    const file = join(folder, 'secret.hex')
    await writeFile(file, content)
    return file
  }

  it.each([
    ['as go-ethereum writes it', `0x${secret.toString('hex')}`],
    ['without a prefix, with a line break', `${secret.toString('hex')}\n`],
    ['in capitals', `0X${secret.toString('hex').toUpperCase()}\r\n`],
  ])('reads a secret %s', async (_, content) => {
    expect(readJwtSecret(await fileOf(content))).toEqual(secret)
  })

  it.each([
    ['', 'not an empty file'],
    ['0x', 'not an empty file'],
    ['c4n4ry'.repeat(10), 'not other text'],
    ['ca4a'.repeat(15), 'not 60 hex digits'],
    [`${secret.toString('hex')}00`, 'not 66 hex digits'],
    [undefined, 'as jwt: ENOENT'],
  ])('rejects %j', async (content, rule) => {
    const file = content === undefined ? join(folder, 'none') : await fileOf(content)
    let problem: unknown
    try {
      readJwtSecret(file, 'FAIRLEAD_EVM_UPSTREAM')
    } catch (error) {
      problem = error
    }
    if (!FairleadError.is(problem, 'CONFIG_INVALID')) throw new Error('It was accepted.')
    expect(problem.details.option).toBe('FAIRLEAD_EVM_UPSTREAM')
    expect(problem.details.rule).toContain(rule)
    expect(JSON.stringify([problem.message, problem.details])).not.toMatch(/c4n4ry|ca4a|0123/)
    expect(() => jwtOf({ jwtSecretFile: file })).toThrow(
      expect.objectContaining({ status: 503, message: 'The JWT secret of this upstream cannot be read.' }),
    )
  })
})
