import { Address } from '@ton/core'
import type { ValueFormat } from '@fairlead/gateway-core/rest/parameter-validation'

type Formats = Readonly<Record<string, ValueFormat>>

/** Formats that both families of the jetton chain API share. */
const shared: Formats = {
  address: ofText(
    'an address: workchain, colon and 64 hex digits, or 48 characters of base64 with the right checksum',
    isAddress,
  ),
  // The pattern of the contract checks the alphabet. A pattern of groups would need a stack as deep as the text is long.
  bytes: ofText('bytes in base64', (value) => value.length % 4 === 0),
  int32: { label: 'a 32-bit integer', type: 'number', validate: (value) => value === (value | 0) },
  int64: ofText('a 64-bit integer in decimal', (value) => isInteger(value, 64)),
  uint64: ofText('a non-negative 64-bit integer in decimal', (value) => /^\d{1,20}$/.test(value)),
  int256: ofText('a 256-bit integer in decimal', (value) => isInteger(value, 257)),
}

/** The `format`s of family v2. */
export const v2Formats: Formats = {
  ...shared,
  hash: ofText('32 bytes: 64 hex digits, or base64', (value) =>
    /^(?:[\da-f]{64}|[\w+/-]{43}=?)$/i.test(value),
  ),
}

/** The `format`s of family v3. */
export const v3Formats: Formats = {
  ...shared,
  hash: ofText('32 bytes: 64 hex digits with or without 0x, or base64', (value) =>
    /^(?:(?:0x)?[\da-f]{64}|[\w+/-]{43}=)$/i.test(value),
  ),
}

function ofText(label: string, validate: (value: string) => boolean): ValueFormat {
  return { label, type: 'string', validate }
}

function isAddress(text: string): boolean {
  if (!/^(?:-?\d{1,10}:[\da-f]{64}|[\w+/-]{48})$/i.test(text)) return false
  try {
    Address.parse(text)
    return true
  } catch {
    return false
  }
}

function isInteger(text: string, bits: number): boolean {
  // Strings that are much too long are not parsed.
  if (!/^-?\d{1,78}$/.test(text)) return false
  return BigInt.asIntN(bits, BigInt(text)) === BigInt(text)
}
