import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEncryptor } from '@fairlead/gateway-core/credentials/encryption'
import {
  type ForgingIssuer,
  type TokenPart,
  forgingIssuer,
  hs256,
  keyId,
  rs256,
  rsaKeys,
  token,
} from '../testing/forging-issuer.ts'
import { createOidcSignIn } from './oidc.ts'

const client = { clientId: 'fairlead', clientSecret: 'c4n4ry-client-secret', name: 'Breakwater' }
const redirectUri = 'http://console.test/callback/'

describe('the ID token of a sign-in', () => {
  let issuer: ForgingIssuer
  const encryptor = createEncryptor(randomBytes(32))
  beforeAll(async () => {
    issuer = await forgingIssuer()
  })
  afterAll(() => issuer.close())

  /** Signs in with the ID token that `write` returns for the expected header and claims. */
  async function userFrom(write: (header: TokenPart, claims: TokenPart) => string, maxAge?: number) {
    const signIn = createOidcSignIn({ ...client, issuer: issuer.issuer, isHttpAllowed: true }, encryptor)
    const { url, state } = await signIn.begin(redirectUri, maxAge)
    const { searchParams } = new URL(url)
    const now = Math.floor(Date.now() / 1_000)
    const claims = {
      iss: issuer.issuer,
      aud: client.clientId,
      sub: 'u-1',
      nonce: searchParams.get('nonce'),
      iat: now,
      exp: now + 300,
      email: 'Vera@breakwater.test',
      email_verified: true,
    }
    issuer.idToken = write({ alg: 'RS256', kid: keyId }, claims)
    const returned = new URL(redirectUri)
    returned.searchParams.set('code', 'c')
    returned.searchParams.set('state', searchParams.get('state') ?? '')
    return signIn.finish(returned, state)
  }
  const signed = (header: TokenPart, claims: TokenPart) => token(header, claims, rs256(issuer.privateKey))
  const unsigned = () => Buffer.of()

  it('identifies the user when it is signed with the published key', async () => {
    expect(await userFrom(signed)).toEqual({ email: 'vera@breakwater.test', authenticationAge: undefined })
    issuer.userInfo = { sub: 'u-1', email: 'tomas@breakwater.test', email_verified: true }
    const withoutEmail = (header: TokenPart, claims: TokenPart) =>
      signed(header, { ...claims, email: undefined })
    expect(await userFrom(withoutEmail)).toMatchObject({ email: 'tomas@breakwater.test' })
  })

  it.each<[string, (header: TokenPart, claims: TokenPart) => string]>([
    ['has the algorithm none', (header, claims) => token({ ...header, alg: 'none' }, claims, unsigned)],
    ['has no header but the algorithm none', (_, claims) => token({ alg: 'none' }, claims, unsigned)],
    ['has no signature', (header, claims) => token(header, claims, unsigned)],
    ['has no signature part', (header, claims) => token(header, claims, unsigned).replace(/\.$/, '')],
    ['is signed with another key', (header, claims) => token(header, claims, rs256(rsaKeys().privateKey))],
    [
      'is signed with another key that is not published',
      (header, claims) => token({ ...header, kid: 'other' }, claims, rs256(rsaKeys().privateKey)),
    ],
    [
      'is signed with the key in its header',
      (header, claims) => {
        const { privateKey, publicKey } = rsaKeys()
        return token({ ...header, jwk: publicKey.export({ format: 'jwk' }) }, claims, rs256(privateKey))
      },
    ],
    [
      'is signed with the client secret',
      (header, claims) => token({ ...header, alg: 'HS256' }, claims, hs256(client.clientSecret)),
    ],
    [
      'uses the public key as the secret of HS256',
      (header, claims) => {
        const pem = issuer.publicKey.export({ format: 'pem', type: 'spki' }).toString()
        return token({ ...header, alg: 'HS256' }, claims, hs256(pem))
      },
    ],
    [
      'was changed after it was signed',
      (header, claims) => {
        const [, , signature] = signed(header, claims).split('.')
        const changed = token(header, { ...claims, email: 'owner@breakwater.test' }, unsigned)
        return `${changed}${signature}`
      },
    ],
    ['is for another client', (header, claims) => signed(header, { ...claims, aud: 'other' })],
    ['is for no client', (header, claims) => signed(header, { ...claims, aud: undefined })],
    [
      'was issued by another issuer',
      (header, claims) => signed(header, { ...claims, iss: 'https://other.test' }),
    ],
    ['has expired', (header, claims) => signed(header, { ...claims, exp: Number(claims['iat']) - 600 })],
    ['does not expire', (header, claims) => signed(header, { ...claims, exp: undefined })],
    ['has another nonce', (header, claims) => signed(header, { ...claims, nonce: 'other' })],
    ['has no nonce', (header, claims) => signed(header, { ...claims, nonce: undefined })],
    ['has no subject', (header, claims) => signed(header, { ...claims, sub: undefined })],
    ['has an unverified address', (header, claims) => signed(header, { ...claims, email_verified: 'true' })],
    [
      'belongs to another user than the user info',
      (header, claims) => signed(header, { ...claims, email: undefined, sub: 'u-2' }),
    ],
    ['is no token', () => 'x'],
  ])('identifies no one when it %s', async (_, write) => {
    issuer.userInfo = { sub: 'u-1', email: 'tomas@breakwater.test', email_verified: true }
    expect(await userFrom(write).catch(() => undefined)).toBeUndefined()
  })

  /** Writes an ID token of a user who authenticated a number of seconds ago. */
  const authenticated =
    (secondsAgo: unknown) =>
    (header: TokenPart, claims: TokenPart): string => {
      const time = typeof secondsAgo === 'number' ? Number(claims['iat']) - secondsAgo : secondsAgo
      return signed(header, { ...claims, auth_time: time })
    }

  it.each([
    [0, 0],
    [200, 200],
    [3_600, 3_600],
    // The clock of the provider is ahead.
    [-30, 0],
  ])('reports a user who authenticated %d seconds ago as such', async (secondsAgo, expected) => {
    const user = await userFrom(authenticated(secondsAgo))
    expect(Math.abs((user?.authenticationAge ?? Number.NaN) - expected)).toBeLessThan(30)
  })

  it('is requested with a new authentication and its time when a maximum age is set', async () => {
    const signIn = createOidcSignIn({ ...client, issuer: issuer.issuer, isHttpAllowed: true }, encryptor)
    const parametersOf = async (maxAge?: number) => {
      const { searchParams } = new URL((await signIn.begin(redirectUri, maxAge)).url)
      return [searchParams.get('prompt'), searchParams.get('max_age')]
    }
    expect(await parametersOf(300)).toEqual(['login', '300'])
    expect(await parametersOf()).toEqual([null, null])
    expect(await userFrom(authenticated(200), 300)).toBeDefined()
  })

  it.each<[string, unknown]>([
    ['is older', 400],
    ['is missing', undefined],
    ['is null', null],
    ['is a text', '0'],
  ])('identifies no one when a maximum age is set and the time of authentication %s', async (_, time) => {
    expect(await userFrom(authenticated(time), 300).catch(() => undefined)).toBeUndefined()
  })
})

it('a provider over http is not contacted unless that is allowed', async () => {
  const issuer = await forgingIssuer()
  const signIn = createOidcSignIn({ ...client, issuer: issuer.issuer }, createEncryptor(randomBytes(32)))
  await expect(signIn.begin(redirectUri)).rejects.toThrow('HTTPS')
  await issuer.close()
})
