import { beginCell, Cell, Dictionary } from '@ton/core'
import {
  type ConfigParam,
  loadConfigParam,
  storeConfigParam,
} from '@ton/sandbox/dist/config/config.tlb-gen.js'
import { defaultConfig } from '@ton/sandbox/dist/config/defaultConfig.js'

// The oracle is the decoder that was generated from the TL-B of the TON node for the emulator.

/** The mainnet configuration of the emulator. */
export const mainnet: ReadonlyMap<number, Cell> = new Map(
  Cell.fromBase64(defaultConfig)
    .beginParse()
    .loadDictDirect(Dictionary.Keys.Int(32), Dictionary.Values.Cell()),
)

/** A cell as upstreams serialize it. */
export const boc = (cell: Cell): string => cell.toBoc().toString('base64')

/** The same byte 32 times, given in hex. */
export const bytes = (byte: string): Buffer => Buffer.from(byte.repeat(32), 'hex')

const signedKeys = new Set([7, 9, 10, 12])

/** The value that the oracle decodes, in the format of the gateway. */
export function expected(id: number, cell: Cell): unknown {
  const value = plain(loadConfigParam(cell.beginParse(), id), id)
  // The oracle does not read an 8-bit field that is newer than the oracle.
  if (isBaseChain(value)) Object.assign(value.workchains[0], { persistent_state_split_depth: 4 })
  return value
}

const isBaseChain = (value: unknown): value is { readonly workchains: { readonly 0: object } } =>
  typeof value === 'object' && value !== null && 'workchains' in value && '0' in (value.workchains as object)

function plain(value: unknown, id: number): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString()
  if (Buffer.isBuffer(value)) return value.toString('hex')
  if (value instanceof Dictionary) return dictionary(value as Dictionary<bigint | number, unknown>, id)
  if (typeof value !== 'object' || value === null) return value
  const { kind, ...members } = value as Readonly<Record<string, unknown>>
  if (kind === 'Bool' || kind === 'Maybe_just') return plain(members['value'], id)
  if (kind === 'Maybe_nothing') return null
  if (kind === 'SigPubKey') return plain(members['pubkey'], id)
  if (kind === 'ExtraCurrencyCollection') return plain(members['dict'], id)
  const named = Object.entries(members).map(([name, member]): [string, unknown] => {
    const isOracles = name === 'oracles' && member instanceof Dictionary
    return [name, isOracles ? oracles(member) : plain(member, id)]
  })
  return Object.fromEntries(
    named.flatMap(([name, member]) =>
      /^anon0$|^other$|^(prev|cur|next)_(temp_)?validators$/.test(name)
        ? Object.entries(member as object)
        : [[name.replace(/^_/, '').replace('mutlisig', 'multisig'), member] as const],
    ),
  )
}

const oracles = (members: Dictionary<bigint, bigint>) =>
  Object.fromEntries(
    [...members].map((pair) => pair.map((each) => each.toString(16).padStart(64, '0')) as [string, string]),
  )

function dictionary(members: Dictionary<bigint | number, unknown>, id: number): unknown {
  const bits = id === 44 ? 288 : 256
  const key = (each: bigint | number): string | number => {
    if (typeof each === 'number') return signedKeys.has(id) ? each | 0 : each
    const digits = each.toString(16).padStart(bits / 4, '0')
    return bits === 288 ? `${Number.parseInt(digits.slice(0, 8), 16) | 0}:${digits.slice(8)}` : digits
  }
  const entries = [...members].map(([each, member]) => [key(each), plain(member, id)] as const)
  const isSet = members.values().some((each) => /^(True|Unit)$/.test((each as { kind?: string }).kind ?? ''))
  return isSet ? entries.map(([each]) => each) : Object.fromEntries(entries)
}

/** A cell that the oracle serializes. */
export const serialize = (parameter: ConfigParam): Cell =>
  beginCell().store(storeConfigParam(parameter)).endCell()
