import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type ErrorCode, FairleadError, isRetryable } from './error.ts'

describe('FairleadError', () => {
  it('says what happened from its context', () => {
    const error = new FairleadError('HTTP_STATUS', {
      operation: 'listProjects',
      status: 404,
      detail: 'Invalid page.',
    })
    expect(error.message).toBe(
      '[HTTP_STATUS] {"operation":"listProjects","status":404,"detail":"Invalid page."}',
    )
    expect(error.context.status).toBe(404)
  })

  it('is recognised when another copy of the package made it', () => {
    const foreign = Object.assign(new Error('made elsewhere'), {
      code: 'RPC_ERROR' satisfies ErrorCode,
      [Symbol.for('fairlead.error')]: true,
    })
    expect(FairleadError.is(foreign)).toBe(true)
    expect(FairleadError.is(foreign, 'RPC_ERROR')).toBe(true)
    expect(FairleadError.is(foreign, 'HTTP_STATUS')).toBe(false)
    expect(FairleadError.is(new Error('plain'))).toBe(false)
  })
})

describe('isRetryable', () => {
  it.each([
    [new FairleadError('HTTP_STATUS', { operation: 'x', status: 503 }), true],
    [new FairleadError('HTTP_STATUS', { operation: 'x', status: 404 }), false],
    [new FairleadError('TRANSPORT_TIMEOUT', { operation: 'x', timeoutMs: 1, attempt: 1, reason: '' }), true],
    [new FairleadError('GRPC_STATUS', { operation: 'x', status: 14, detail: '' }), true],
    [new FairleadError('GRPC_STATUS', { operation: 'x', status: 16, detail: '' }), false],
    [new FairleadError('RPC_ERROR', { operation: 'x', rpcCode: 3, detail: '', status: 200 }), false],
    [new FairleadError('RPC_ERROR', { operation: 'x', rpcCode: -32603, detail: '', status: 502 }), true],
    [new Error('plain'), false],
  ])('derives it from code and status: %s', (error, expected) => {
    expect(isRetryable(error)).toBe(expected)
  })
})

describe('the reference of errors', () => {
  // The compiler keeps this list complete.
  const codes: Readonly<Record<ErrorCode, true>> = {
    CONFIG_INVALID: true,
    TRANSPORT_TIMEOUT: true,
    TRANSPORT_FAILED: true,
    TRANSPORT_CLOSED: true,
    HTTP_STATUS: true,
    RPC_ERROR: true,
    RPC_QUORUM: true,
    GRPC_STATUS: true,
    STREAM_OVERFLOW: true,
    STREAM_GAP: true,
    DECODE_INVALID: true,
  }

  it('lists exactly the codes that there are', () => {
    const page = readFileSync(new URL('../../../docs/reference/errors.md', import.meta.url), 'utf8')
    const listed = [...page.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, code]) => code)
    expect(listed).toEqual(Object.keys(codes))
  })
})
