import { FairleadError } from '@fairlead/core'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { UpstreamRecord } from '@fairlead/gateway-core/grants/parse-upstreams'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'

/** Authentication of requests to one upstream with a JSON Web Token. */
export interface UpstreamJwt {
  /** Returns the token for a request that is sent now. */
  current(): BearerToken
}

/** A token that is sent with requests. */
export interface BearerToken {
  /** Value of the `Authorization` header. */
  readonly authorization: string
  /** Texts to redact in messages of the upstream. */
  readonly secrets: readonly string[]
}

const secretBytes = 32
// An upstream accepts a token whose `iat` differs by up to 60 seconds. The remaining time is for clock skew and for
// queued requests.
const reuseMs = 5_000

/**
 * Reads the secret that an upstream shares with its clients.
 *
 * @param file - path of a file with 32 bytes in hex, as execution clients write it; a `0x` prefix is optional
 * @param option - names the file in errors
 * @throws FairleadError `CONFIG_INVALID` that names the option and the rule, never the path or the content
 */
export function readJwtSecret(file: string, option = 'upstream'): Buffer {
  const text = contentOf(file, option).trim()
  const digits = text.replace(/^0x/i, '')
  if (/^[\da-f]+$/i.test(digits) && digits.length === 2 * secretBytes) return Buffer.from(digits, 'hex')
  const rule = `must have a file with ${secretBytes} bytes in hex as jwt, not ${kindOf(digits)}`
  throw new FairleadError('CONFIG_INVALID', { option, rule })
}

/**
 * Creates tokens for an upstream: HS256 with the claim `iat`. Each token is used for the requests of five seconds.
 *
 * @param secret - 32 bytes
 * @param now - milliseconds since 1970
 * @see https://github.com/ethereum/execution-apis/blob/main/src/engine/authentication.md
 */
export function createUpstreamJwt(secret: Buffer, now: () => number = Date.now): UpstreamJwt {
  let issuedAt = -Infinity
  let token: BearerToken | undefined
  return {
    current() {
      const at = now()
      // If the clock was set back, the token would be from the future.
      if (token === undefined || at < issuedAt || at >= issuedAt + reuseMs) {
        issuedAt = at
        token = signed(secret, Math.floor(at / 1_000))
      }
      return token
    },
  }
}

/**
 * Returns the authentication for a record. Undefined when it has no JWT secret. The file is read once.
 *
 * @throws {@link RpcError} with status 503 when the file has no secret
 */
export function jwtOf({ jwtSecretFile }: Pick<UpstreamRecord, 'jwtSecretFile'>): UpstreamJwt | undefined {
  if (jwtSecretFile === undefined) return undefined
  try {
    return createUpstreamJwt(readJwtSecret(jwtSecretFile))
  } catch (error) {
    if (!FairleadError.is(error, 'CONFIG_INVALID')) throw error
    throw new RpcError(rpcCodes.internalError, 'The JWT secret of this upstream cannot be read.', {
      status: 503,
    })
  }
}

function signed(secret: Buffer, iat: number): BearerToken {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const content = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ iat })}`
  const signature = createHmac('sha256', secret).update(content).digest('base64url')
  const token = `${content}.${signature}`
  return { authorization: `Bearer ${token}`, secrets: [token, secret.toString('hex'), signature] }
}

function contentOf(file: string, option: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    const rule = `must have a readable file as jwt: ${code}`
    throw new FairleadError('CONFIG_INVALID', { option, rule })
  }
}

function kindOf(digits: string): string {
  if (digits === '') return 'an empty file'
  return /^[\da-f]+$/i.test(digits) ? `${digits.length} hex digits` : 'other text'
}
