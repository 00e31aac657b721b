import { describe, expect, it } from 'vitest'
import { FairleadError } from './error.ts'
import { hasNeverConnected } from './never-connected.ts'

const failed = (reason: string, code: 'TRANSPORT_FAILED' | 'TRANSPORT_TIMEOUT' = 'TRANSPORT_FAILED') =>
  new FairleadError(code, { operation: 'test', attempt: 1, timeoutMs: 1_000, reason })

describe('hasNeverConnected', () => {
  it.each([
    'fetch failed ECONNREFUSED',
    'fetch failed ENOTFOUND',
    'fetch failed EAI_AGAIN',
    'fetch failed UND_ERR_CONNECT_TIMEOUT',
    'Unable to connect. Is the computer able to access the url? ConnectionRefused',
    'error sending request: tcp connect error: Connection refused (os error 111)',
  ])('is true for the reason %j', (reason) => {
    expect(hasNeverConnected(failed(reason))).toBe(true)
    expect(hasNeverConnected(failed(reason, 'TRANSPORT_TIMEOUT'))).toBe(true)
  })

  it.each([
    'fetch failed ECONNRESET',
    'fetch failed UND_ERR_SOCKET',
    'fetch failed UND_ERR_HEADERS_TIMEOUT',
    'fetch failed EHOSTUNREACH',
    'fetch failed ENETUNREACH',
    '',
  ])('is false for the reason %j', (reason) => {
    expect(hasNeverConnected(failed(reason))).toBe(false)
  })

  it('is false for other errors', () => {
    expect(hasNeverConnected(new Error('ECONNREFUSED'))).toBe(false)
    const status = new FairleadError('HTTP_STATUS', {
      operation: 'test',
      status: 503,
      detail: 'ECONNREFUSED',
    })
    expect(hasNeverConnected(status)).toBe(false)
  })
})
