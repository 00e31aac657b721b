import { describe, expect, it } from 'vitest'
import { FairleadError } from './error.ts'
import { isRetryable } from './retryable.ts'

const rpcError = (rpcCode: number, data?: unknown, operation = 'eth_call') =>
  new FairleadError('RPC_ERROR', { operation, rpcCode, detail: '', data, status: 200 })
const grpcError = (status: number, metadata?: Record<string, string>) =>
  new FairleadError('GRPC_STATUS', { operation: 'x', status, detail: '', ...(metadata && { metadata }) })
const sent = (operation: string, attempt: number) =>
  new FairleadError('TRANSPORT_FAILED', { operation, timeoutMs: 1, attempt, reason: 'cut' })

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
    [rpcError(-32005), true],
    [rpcError(429), true],
    [rpcError(-32005, { reason: 'upstream busy', retry_after_ms: 5 }), true],
    [rpcError(-32005, { reason: 'busy' }), true],
    [rpcError(-32600, { reason: 'quota', resets_at: '' }), false],
    [rpcError(-32005, undefined, 'eth_getLogs'), false],
    [rpcError(-32005, { retry_after_ms: 5 }, 'eth_getLogs'), true],
    [rpcError(3, '0x'), false],
    [grpcError(8, { 'grpc-retry-pushback-ms': '100' }), true],
    [grpcError(8, { 'grpc-retry-pushback-ms': '-1' }), false],
    [grpcError(8), false],
    [sent('eth_sendRawTransaction', 1), false],
    [sent('eth_sendRawTransaction', 0), true],
    [sent('eth_sendRawTransactionSync', 1), false],
    [sent('eth_call', 1), true],
  ])('derives it from code and status: %s', (error, expected) => {
    expect(isRetryable(error)).toBe(expected)
  })
})
