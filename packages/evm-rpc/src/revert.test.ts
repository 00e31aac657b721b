import { FairleadError } from '@fairlead/core'
import { Interface } from 'ethers'
import { encodeErrorResult, parseAbi } from 'viem'
import { describe, expect, it } from 'vitest'
import { decodeRevert } from './revert.ts'

const abi = parseAbi([
  'error Error(string)',
  'error Panic(uint256)',
  'error Low(uint256 had, uint256 wanted)',
])
const reasonData = (reason: string) => encodeErrorResult({ abi, errorName: 'Error', args: [reason] })
const panicData = (code: bigint) => encodeErrorResult({ abi, errorName: 'Panic', args: [code] })
const customData = encodeErrorResult({ abi, errorName: 'Low', args: [1n, 2n] })
const rpcError = (rpcCode: number, detail: string, data?: unknown) =>
  new FairleadError('RPC_ERROR', { operation: 'eth_call', rpcCode, detail, data, status: 200 })

describe('decodeRevert', () => {
  it.each(['', 'no', 'ünïcode ✓ '.repeat(20)])('reads the reason %j', (reason) => {
    expect(decodeRevert(rpcError(3, 'execution reverted', reasonData(reason)))).toEqual({
      kind: 'error',
      reason,
    })
    expect(decodeRevert(reasonData(reason))).toEqual({ kind: 'error', reason })
  })

  it.each([0x00, 0x01, 0x11, 0x12, 0x21, 0x22, 0x31, 0x32, 0x41, 0x51])('decodes panic %i', (code) => {
    const revert = decodeRevert(panicData(BigInt(code)))
    expect(revert).toMatchObject({ kind: 'panic', code: BigInt(code) })
    expect(revert).not.toMatchObject({ reason: expect.stringContaining('does not define') as string })
  })

  it('decodes a panic code that Solidity does not define', () => {
    expect(decodeRevert(panicData(2n ** 255n))).toMatchObject({ kind: 'panic', code: 2n ** 255n })
  })

  it('returns custom errors in a form that ABI decoders accept', () => {
    const revert = decodeRevert(rpcError(3, 'execution reverted', customData))
    expect(revert).toEqual({ kind: 'custom', selector: customData.slice(0, 10), data: customData })
    const parsed = new Interface(['error Low(uint256 had, uint256 wanted)']).parseError(customData)
    expect(parsed?.args.toArray()).toEqual([1n, 2n])
  })

  it('detects a revert without data', () => {
    expect(decodeRevert(rpcError(3, 'execution reverted', '0x'))).toEqual({ kind: 'empty' })
    expect(decodeRevert(rpcError(-32_000, 'execution reverted'))).toEqual({ kind: 'empty' })
    expect(decodeRevert('0x')).toEqual({ kind: 'empty' })
  })

  it('uses the reason from the message if the data is missing', () => {
    const text = "VM Exception while processing transaction: reverted with reason string 'too late'"
    expect(decodeRevert(rpcError(-32_000, 'execution reverted: too late'))).toEqual({
      kind: 'error',
      reason: 'too late',
    })
    expect(decodeRevert(rpcError(-32_603, text))).toEqual({ kind: 'error', reason: 'too late' })
  })

  const data = reasonData('deep')
  it.each<[string, unknown]>([
    ['data.data', rpcError(-32_603, 'Internal error', { code: 3, message: 'x', data })],
    ['data.data as hardhat', rpcError(-32_603, 'Error: reverted', { message: 'x', txHash: '0x12', data })],
    [
      'data.originalError of a wallet',
      rpcError(-32_603, 'Internal JSON-RPC error.', { originalError: { code: 3, data, message: 'x' } }),
    ],
    ['text with a prefix', rpcError(-32_015, 'VM execution error.', `Reverted ${data}`)],
    ['EIP-1193 error', Object.assign(new Error('execution reverted'), { code: 3, data })],
    ['ethers error', { code: 'CALL_EXCEPTION', info: { error: { code: 3, message: 'x', data } } }],
    ['viem error', new Error('x', { cause: new Error('y', { cause: { code: 3, data } }) })],
    ['error around ours', new Error('x', { cause: rpcError(3, 'execution reverted', data) })],
  ])('finds it in %s', (_, error) => {
    expect(decodeRevert(error)).toEqual({ kind: 'error', reason: 'deep' })
  })

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a text', 'no'],
    ['an odd number of digits', '0x123'],
    ['another error', rpcError(-32_601, 'method not found')],
    ['data that is an address', rpcError(-32_000, 'unknown account', `0x${'ab'.repeat(20)}`)],
    ['data of a limit', rpcError(-32_005, 'limit', { from: '0x1', to: '0x2' })],
    [
      'a timeout',
      new FairleadError('TRANSPORT_TIMEOUT', { operation: 'x', attempt: 1, timeoutMs: 1, reason: '' }),
    ],
  ])('is undefined for %s', (_, error) => {
    expect(decodeRevert(error)).toBeUndefined()
  })

  it('never throws on data that is not well-formed', () => {
    const complete = reasonData('some reason of more than thirty-two bytes in all')
    for (let length = 2; length <= complete.length; length += 2) {
      const cut = complete.slice(0, length)
      expect(['error', 'custom', 'empty']).toContain(decodeRevert(cut)?.kind)
      if (length < complete.length - 32) expect(decodeRevert(cut)?.kind).not.toBe('error')
    }
    const selector = complete.slice(0, 10)
    for (const words of [
      ['f'.repeat(64)],
      [`${'0'.repeat(62)}20`, 'f'.repeat(64)],
      [`${'0'.repeat(62)}21`, '1'],
    ]) {
      const body = words.map((word) => word.padStart(64, '0')).join('')
      expect(decodeRevert(selector + body)).toMatchObject({ kind: 'custom', selector })
    }
  })

  it('handles circular references', () => {
    const circle: { data?: unknown; cause?: unknown } = {}
    circle.data = circle
    circle.cause = circle
    expect(decodeRevert(circle)).toBeUndefined()
  })
})
