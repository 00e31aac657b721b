import { FairleadError } from '@fairlead/core'
import type { Bytes } from './generated/index.ts'
import { isBytes, isHex } from './values/guards.ts'
import { toBytes } from './values/hex.ts'

/** Why a contract call was reverted. */
export type Revert =
  /** `Error(string)`: a reason as text, from `require` or `revert`. */
  | { readonly kind: 'error'; readonly reason: string }
  /** `Panic(uint256)`: a check that the compiler inserted. */
  | { readonly kind: 'panic'; readonly code: bigint; readonly reason: string }
  /** A custom error of the contract, or arbitrary bytes. `data` begins with the selector. */
  | { readonly kind: 'custom'; readonly selector: Bytes; readonly data: Bytes }
  /** Reverted without any data. */
  | { readonly kind: 'empty' }

const errorSelector = '0x08c379a0'
const panicSelector = '0x4e487b71'

const panics: Readonly<Record<string, string>> = {
  '0': 'unspecified check of the compiler',
  '1': 'an assertion does not hold',
  '17': 'an arithmetic result is out of bounds',
  '18': 'division or modulo by zero',
  '33': 'a value is no member of the enum',
  '34': 'a byte array in storage is encoded wrongly',
  '49': 'an empty array has nothing to pop',
  '50': 'an index is out of bounds',
  '65': 'the allocated memory exceeds the limit',
  '81': 'a function pointer was never set',
}

/**
 * Decodes why a contract call was reverted.
 *
 * @param error - the error of a call, or the revert data itself as 0x-prefixed hex; errors of other libraries and
 *   nested formats of wallets and providers are searched too
 * @returns undefined when the error is not a revert; data that is not well-formed counts as custom
 * @example
 * ```ts
 * const revert = decodeRevert(error)
 * if (revert?.kind === 'error') console.error(revert.reason)
 * ```
 * @see Solidity documentation, "Panic via assert and Error via require"; EIP-838
 */
export function decodeRevert(error: unknown): Revert | undefined {
  const { data, detail } = revertOf(error)
  if (data !== undefined) return decode(data)
  if (detail === undefined) return undefined
  // Some nodes put the reason into the message and omit the data.
  const reason = /revert(?:ed)?(?:: *| with reason string )['"]?(.+?)['"]?$/is.exec(detail)?.[1]
  return reason === undefined ? { kind: 'empty' } : { kind: 'error', reason }
}

function revertOf(error: unknown): { data?: Bytes | undefined; detail?: string | undefined } {
  if (typeof error === 'string') return { data: dataIn(error, true) }
  if (!FairleadError.is(error, 'RPC_ERROR')) return { data: search(error, false, 0) }
  const { rpcCode, detail, data } = error.details
  const reverted = rpcCode === 3 || /\brevert/i.test(detail)
  return { data: search(data, reverted, 0), detail: reverted ? detail : undefined }
}

// Fields with the data in errors of wallets, nodes and libraries: `data.data`, `data.originalError.data`,
// `info.error.data`, `cause.raw`.
const dataFields = [
  'data',
  'originalError',
  'error',
  'innerError',
  'cause',
  'info',
  'raw',
  'result',
  'return',
]
const maxDepth = 8

function search(value: unknown, reverted: boolean, depth: number): Bytes | undefined {
  if (typeof value === 'string') return dataIn(value, reverted)
  if (typeof value !== 'object' || value === null || depth > maxDepth) return undefined
  if (FairleadError.is(value, 'RPC_ERROR')) return revertOf(value).data
  const fields = value as Readonly<Record<string, unknown>>
  const { code, message } = fields
  const isRevert = reverted || code === 3 || (typeof message === 'string' && /\brevert/i.test(message))
  for (const field of dataFields) {
    const data = search(fields[field], isRevert, depth + 1)
    if (data !== undefined) return data
  }
  return undefined
}

// Unless the error is marked as a revert, only a selector followed by whole words is accepted: the data of an error can
// also be an address or a hash.
function dataIn(text: string, reverted: boolean): Bytes | undefined {
  const data = text.replace(/^Reverted\s*/i, '')
  if (!isHex(data) || !isBytes(data)) return undefined
  const selected = data.length >= 10 && (data.length - 10) % 64 === 0
  return reverted || selected || data.length < text.length ? data.toLowerCase() : undefined
}

function decode(data: Bytes): Revert {
  if (data === '0x') return { kind: 'empty' }
  const selector = data.slice(0, 10)
  const body = toBytes(`0x${data.slice(10)}`)
  if (selector === panicSelector && body.length >= 32) {
    const code = readWord(body, 0)
    return { kind: 'panic', code, reason: panics[code.toString()] ?? 'a code that Solidity does not define' }
  }
  if (selector === errorSelector) {
    const reason = textOf(body)
    if (reason !== undefined) return { kind: 'error', reason }
  }
  return { kind: 'custom', selector, data }
}

function textOf(body: Uint8Array): string | undefined {
  const offset = readWord(body, 0)
  if (offset > BigInt(body.length - 32)) return undefined
  const start = Number(offset) + 32
  const length = readWord(body, Number(offset))
  if (length > BigInt(body.length - start)) return undefined
  return new TextDecoder().decode(body.subarray(start, start + Number(length)))
}

// An offset beyond the end yields a far too large value, so that the checks of the caller reject it.
function readWord(body: Uint8Array, at: number): bigint {
  if (at + 32 > body.length) return 2n ** 256n
  let value = 0n
  for (const byte of body.subarray(at, at + 32)) value = (value << 8n) | BigInt(byte)
  return value
}
