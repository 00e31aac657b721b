import type { Cell, Slice } from '@ton/core'
import { writeRawAddress } from '../../cells/address.ts'
import { writeBoc } from '../../cells/bag-of-cells.ts'
import { readComment } from '../../cells/comment.ts'
import { opcode } from './known-opcodes.ts'
import { readOpcode } from './opcode.ts'

/** Reads a field of a body as a JSON value. */
type Field = (slice: Slice) => string | null

const uint64: Field = (slice) => String(slice.loadUintBig(64))
const coins: Field = (slice) => String(slice.loadCoins())
const address: Field = (slice) => {
  const read = slice.loadMaybeAddress()
  return read === null ? null : writeRawAddress(read)
}
const maybeCell: Field = (slice) => {
  const cell = slice.loadMaybeRef()
  return cell === null ? null : writeBoc(cell)
}
/** A payload in the message itself or in a reference; many senders omit an empty one. */
const payload: Field = (slice) => {
  if (slice.remainingBits === 0) return null
  if (slice.loadBit()) return writeBoc(slice.loadRef())
  return slice.remainingBits === 0 && slice.remainingRefs === 0 ? null : writeBoc(slice.asCell())
}

/** A field that some wallets omit at the end of a body. */
const optionalAtEnd =
  (read: Field): Field =>
  (slice) =>
    slice.remainingBits === 0 ? null : read(slice)

interface Body {
  readonly name: string
  readonly fields: Readonly<Record<string, Field>>
}

/** The bodies of TEP-74 by their operation codes. */
const bodies: ReadonlyMap<number, Body> = new Map([
  [
    opcode.transfer,
    {
      name: 'jetton_transfer',
      fields: {
        query_id: uint64,
        amount: coins,
        destination: address,
        response_destination: address,
        custom_payload: maybeCell,
        forward_ton_amount: coins,
        forward_payload: payload,
      },
    },
  ],
  [
    opcode.internalTransfer,
    {
      name: 'jetton_internal_transfer',
      fields: {
        query_id: uint64,
        amount: coins,
        from: address,
        response_address: address,
        forward_ton_amount: coins,
        forward_payload: payload,
      },
    },
  ],
  [
    opcode.transferNotification,
    {
      name: 'jetton_notify',
      fields: { query_id: uint64, amount: coins, sender: address, forward_payload: payload },
    },
  ],
  [
    opcode.burn,
    {
      name: 'jetton_burn',
      fields: {
        query_id: uint64,
        amount: coins,
        response_destination: optionalAtEnd(address),
        custom_payload: optionalAtEnd(maybeCell),
      },
    },
  ],
  [
    opcode.burnNotification,
    {
      name: 'jetton_burn_notification',
      fields: {
        query_id: uint64,
        amount: coins,
        sender: address,
        response_destination: optionalAtEnd(address),
      },
    },
  ],
  [opcode.excesses, { name: 'excess', fields: { query_id: uint64 } }],
])

const comments: ReadonlyMap<number, string> = new Map([
  [opcode.textComment, 'text_comment'],
  [opcode.encryptedComment, 'encrypted_comment'],
])

/** Returns the name of an operation code; undefined for an unknown one. */
export function nameOpcode(code: number): string | undefined {
  return comments.get(code) ?? bodies.get(code)?.name
}

/**
 * Decodes a body with a known operation code: a comment, or a message of a jetton (TEP-74).
 *
 * @returns `@type` and the fields by their names there, integers in decimal, cells as base64; undefined for an unknown
 * body or one that does not match its operation code
 */
export function decodeBody(cell: Cell): Readonly<Record<string, string | null>> | undefined {
  const comment = readComment(cell)
  if (comment !== undefined) {
    const text = comment.bytes.toString(comment.encrypted ? 'base64' : 'utf8')
    const type = comment.encrypted ? 'encrypted_comment' : 'text_comment'
    return { type, '@type': type, comment: text }
  }
  const body = bodies.get(readOpcode(cell) ?? 0)
  if (body === undefined) return undefined
  try {
    const slice = cell.beginParse().skip(32)
    const fields = Object.entries(body.fields).map(([name, read]) => [name, read(slice)] as const)
    return { '@type': body.name, ...Object.fromEntries(fields) }
  } catch {
    return undefined
  }
}
