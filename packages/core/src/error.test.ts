import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { FairleadError as BrowserError } from './error.browser.ts'
import type { ErrorCode, ErrorDetails } from './error-details.ts'
import { FairleadError } from './error.ts'

const reference = 'https://github.com/fairlead-dev/fairlead/blob/main/docs/reference/errors.md'
const operation = 'eth_call'

/** Two different errors of each code; the compiler keeps the list complete. */
const samples: { readonly [code in ErrorCode]: readonly [ErrorDetails[code], ErrorDetails[code]] } = {
  CONFIG_INVALID: [
    { option: 'url', rule: 'must be https' },
    { option: 'auth', rule: 'must hold a secret' },
  ],
  TRANSPORT_TIMEOUT: [
    { operation, attempt: 3, timeoutMs: 30_000, reason: '' },
    { operation: 'eth_sendRawTransaction', attempt: 0, timeoutMs: 7, reason: 'not connected' },
  ],
  TRANSPORT_FAILED: [
    { operation, attempt: 1, timeoutMs: 30_000, reason: 'fetch failed ECONNREFUSED' },
    { operation: 'eth_sendRawTransaction', attempt: 1, timeoutMs: 5, reason: 'the connection broke' },
  ],
  TRANSPORT_CLOSED: [
    { operation, closeCode: 1000, reason: 'closed by the caller' },
    { operation, closeCode: 4401, reason: '' },
  ],
  HTTP_STATUS: [
    { operation: 'GET /v2/projects/', status: 404, detail: 'Invalid page.' },
    { operation, status: 500, requestId: '01J' },
  ],
  RPC_ERROR: [
    { operation, rpcCode: -32_005, detail: 'too many calls', data: { retry_after_ms: 250 }, status: 429 },
    { operation, rpcCode: 3, detail: 'execution reverted', status: 200 },
  ],
  RPC_QUORUM: [
    { operation, needed: 2, agreed: 1, asked: 3 },
    { operation, needed: 3, agreed: 2, asked: 4 },
  ],
  GRPC_STATUS: [
    { operation: '/geyser.Geyser/Subscribe', status: 16, statusName: 'UNAUTHENTICATED', detail: 'no token' },
    { operation: '/geyser.Geyser/Ping', status: 77, detail: '' },
  ],
  STREAM_OVERFLOW: [
    { operation: 'watchBlocks', capacity: 3 },
    { operation: 'subscribe', capacity: 1_000 },
  ],
  STREAM_GAP: [
    { operation: 'subscribeGeyser', reason: 'the node has no older slots', firstAvailableSlot: '150' },
    { operation: 'watchLogs', reason: 'the logs are pruned' },
  ],
  DECODE_INVALID: [
    { operation, path: '$', rule: 'must be a JSON-RPC response' },
    { operation, path: 'next', rule: 'must be a link' },
  ],
}
const codes = Object.keys(samples) as readonly ErrorCode[]
const errorsOf = (code: ErrorCode) => samples[code].map((details) => new FairleadError(code, details))

describe('FairleadError', () => {
  it.each([
    [
      errorsOf('HTTP_STATUS')[0],
      'GET /v2/projects/ failed with HTTP 404: Invalid page. Check the URL, and that the object exists.',
    ],
    [
      errorsOf('HTTP_STATUS')[1],
      'eth_call failed with HTTP 500 (request 01J). Check the logs of the server.',
    ],
    [
      errorsOf('RPC_ERROR')[0],
      'eth_call failed with JSON-RPC error -32005: too many calls. Retry after 250 ms.',
    ],
    [errorsOf('CONFIG_INVALID')[0], 'Invalid value of url: must be https. Correct the value.'],
    [
      errorsOf('TRANSPORT_TIMEOUT')[0],
      'eth_call got no response within 30000 ms in attempt 3. Retry the call, or increase timeoutMs.',
    ],
    [
      errorsOf('TRANSPORT_TIMEOUT')[1],
      'eth_sendRawTransaction was not sent within 7 ms: not connected. Retry later, and check that the server is reachable.',
    ],
    [
      errorsOf('TRANSPORT_FAILED')[1],
      'eth_sendRawTransaction failed without a response in attempt 1: the connection broke. The transaction may have been sent: look it up before you send it again.',
    ],
    [
      errorsOf('GRPC_STATUS')[0],
      '/geyser.Geyser/Subscribe failed with gRPC status UNAUTHENTICATED: no token. Check the token.',
    ],
    [
      errorsOf('STREAM_GAP')[0],
      'subscribeGeyser ended: the node has no older slots (the first available slot is 150). Read the missed items from another source, then start a new stream.',
    ],
  ])('has the cause and the next step in its message: %s', (error, text) => {
    expect(error?.message).toBe(`${text} (${error?.code}, ${error?.docsUrl})`)
  })

  it.each(codes)('has the same short message for all errors of %s, and the link to its section', (code) => {
    const [one, other] = errorsOf(code)
    expect(one?.shortMessage).toBe(other?.shortMessage)
    expect(one?.shortMessage).toMatch(/^[A-Z][^\d/:]+\.$/)
    expect(one?.docsUrl).toBe(`${reference}#${code.toLowerCase()}`)
    expect(one?.details).toBe(samples[code][0])
    for (const error of [one, other]) {
      expect(error?.message).toMatch(/^\S.*[^.:]\.? \S.*\. \([A-Z_]+, https:\/\/\S+\)$/)
      expect(error?.message).not.toMatch(/undefined|\.\./)
    }
  })

  it('has a different short message for each code', () => {
    expect(new Set(codes.map((code) => errorsOf(code)[0]?.shortMessage)).size).toBe(codes.length)
  })

  it('has a message of one line and at most 1,000 characters, with the next step and the link', () => {
    const detail = `<html>\r\n\t<p>${'\u{1F6A2}'.repeat(5_000)}\u0000`
    const { message, docsUrl, details } = new FairleadError('HTTP_STATUS', { operation, status: 502, detail })
    expect(message.length).toBeLessThanOrEqual(1_000)
    expect(message.length).toBeGreaterThan(990)
    expect(message).toMatch(/^eth_call failed with HTTP 502: <html> <p>\S+… Retry later\. \(HTTP_STATUS, /)
    expect(message.endsWith(`${docsUrl})`)).toBe(true)
    expect(message).not.toMatch(/\p{Cs}/u)
    expect(details.detail).toBe(detail)
  })

  // A quadratic pattern would take hours.
  it('formats a text of two million characters', () => {
    const error = new FairleadError('HTTP_STATUS', {
      operation,
      status: 502,
      detail: `${'. '.repeat(1_000_000)}x`,
    })
    expect(error.message.length).toBeLessThanOrEqual(1_000)
  })

  it('has details of the type of its code', () => {
    const error: unknown = errorsOf('HTTP_STATUS')[0]
    if (!FairleadError.is(error, 'HTTP_STATUS')) throw error
    expectTypeOf(error.code).toEqualTypeOf<'HTTP_STATUS'>()
    expectTypeOf(error.details).toEqualTypeOf<ErrorDetails['HTTP_STATUS']>()
    expectTypeOf(error.docsUrl).toEqualTypeOf<string | undefined>()
    expect(error.details.status).toBe(404)
  })

  it('has the error that led to it as its cause', () => {
    const cause = new Error('first')
    expect(new FairleadError('CONFIG_INVALID', samples.CONFIG_INVALID[0], { cause }).cause).toBe(cause)
    expect('cause' in new FairleadError('CONFIG_INVALID', samples.CONFIG_INVALID[0])).toBe(false)
  })

  it.each([FairleadError, BrowserError])(
    'is recognized when another copy of the package created it',
    (own) => {
      const foreign = Object.assign(new Error('created elsewhere'), {
        name: 'FairleadError',
        code: 'RPC_ERROR' satisfies ErrorCode,
      })
      expect(own.is(foreign)).toBe(true)
      expect(own.is(foreign, 'RPC_ERROR')).toBe(true)
      expect(own.is(foreign, 'HTTP_STATUS')).toBe(false)
      expect(own.is(new Error('plain'))).toBe(false)
      expect(own.is({ name: 'FairleadError', code: 'RPC_ERROR' })).toBe(false)
    },
  )
})

describe('the FairleadError of bundles for browsers', () => {
  it.each(codes)('has the code and the details of %s in its message', (code) => {
    const [details] = samples[code]
    const error = new BrowserError(code, details, { cause: 1 })
    expect(error.message).toBe(`${code} ${JSON.stringify(details)}`)
    expect(error).toMatchObject({ name: 'FairleadError', code, details, shortMessage: code, cause: 1 })
    expect(error.docsUrl).toBeUndefined()
  })

  it('is cut between characters', () => {
    for (const before of ['', 'x']) {
      const detail = `${before}${'\u{1F6A2}'.repeat(1_000)}`
      const { message } = new BrowserError('HTTP_STATUS', { operation, status: 502, detail })
      expect(message.match(/./gsu)).toHaveLength(1_000)
      expect(message).not.toMatch(/\p{Cs}/u)
    }
  })

  it('has a message of at most 1,000 characters', () => {
    const detail = '\n'.repeat(2_000)
    const { message } = new BrowserError('HTTP_STATUS', { operation, status: 502, detail })
    expect(message).toHaveLength(1_000)
    expect(message.endsWith('…')).toBe(true)
  })

  it('replaces the complete class by the field that bundlers read', () => {
    const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
    const { browser } = JSON.parse(read('../package.json')) as { browser: Record<string, string> }
    expect(browser).toEqual({ './dist/error.js': './dist/error.browser.js' })
    for (const path of Object.entries(browser).flat()) {
      const source = path.replace('./dist/', './').replace(/js$/, 'ts')
      expect(existsSync(new URL(source, import.meta.url)), source).toBe(true)
    }
  })
})
