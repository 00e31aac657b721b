import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Header and claims of an ID token. */
export type TokenPart = Readonly<Record<string, unknown>>

/** An OpenID Connect issuer for tests that returns any ID token. */
export interface ForgingIssuer {
  readonly issuer: string
  /** The key that signs its tokens, published with {@link keyId}. */
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
  /** The ID token that the token endpoint returns from now on. */
  idToken: string
  /** The response of the user info endpoint. */
  userInfo: TokenPart
  close(): Promise<void>
}

/** Id of the issuer's published key. */
export const keyId = 'published'

/** Starts the issuer. Its metadata allow every algorithm, so that only the client rejects one. */
export async function forgingIssuer(): Promise<ForgingIssuer> {
  const { privateKey, publicKey } = rsaKeys()
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const self: ForgingIssuer = {
    issuer,
    privateKey,
    publicKey,
    idToken: '',
    userInfo: {},
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  const responses: Readonly<Record<string, () => unknown>> = {
    '/.well-known/openid-configuration': () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
    }),
    '/keys': () => ({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: keyId, use: 'sig' }] }),
    '/token': () => ({ access_token: 'a', token_type: 'Bearer', id_token: self.idToken }),
    '/userinfo': () => self.userInfo,
  }
  server.on('request', (request, response) => {
    request.resume()
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(responses[request.url ?? '']?.()))
  })
  return self
}

/** Generates a key pair for RS256. */
export function rsaKeys(): { readonly privateKey: KeyObject; readonly publicKey: KeyObject } {
  return generateKeyPairSync('rsa', { modulusLength: 2_048 })
}

/** Writes a JSON Web Token with any signature. */
export function token(header: TokenPart, claims: TokenPart, signatureOf: (signed: string) => Buffer): string {
  const signed = [header, claims].map((part) => base64url(JSON.stringify(part))).join('.')
  return `${signed}.${base64url(signatureOf(signed))}`
}

/** Signs with RS256. */
export function rs256(key: KeyObject): (signed: string) => Buffer {
  return (signed) => sign('sha256', Buffer.from(signed), key)
}

/** Signs with HS256. */
export function hs256(secret: string): (signed: string) => Buffer {
  return (signed) => createHmac('sha256', secret).update(signed).digest()
}

function base64url(value: string | Buffer): string {
  return Buffer.from(value).toString('base64url')
}
