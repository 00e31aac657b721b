import { beginCell, loadMessage, storeStateInit, type Address, type Cell, type Message } from '@ton/core'
import { writeBoc } from '../cells/bag-of-cells.ts'
import { readComment } from '../cells/comment.ts'
import { writeHash } from '../cells/hash.ts'
import { cellBytes } from './cell-bytes.ts'

/** The two forms of a message: `raw.message` and the legacy `ext.message`. */
export type MessageForm = 'std' | 'legacy'

/** A message with its fees, as its transaction counts them. */
export interface WrittenMessage {
  readonly json: object
  /** Forwarding fee that its sender pays. */
  readonly fees: bigint
}

/**
 * Formats a message of a transaction.
 *
 * @param cell The message in its transaction.
 * @param form The form to write.
 * @returns The message in the format of the API.
 */
export function writeMessage(cell: Cell, form: MessageForm): WrittenMessage {
  const message = loadMessage(cell.beginParse())
  const { info, body } = message
  const internal = info.type === 'internal' ? info : undefined
  const source = info.type === 'external-in' ? undefined : info.src
  const destination = info.type === 'external-out' ? undefined : info.dest
  const writeSide = form === 'std' ? writeAccountAddress : writeFriendly
  const data = writeData(message)
  const json = {
    '@type': form === 'std' ? 'raw.message' : 'ext.message',
    hash: writeHash(cell.hash()),
    source: writeSide(source),
    destination: writeSide(destination),
    value: `${internal?.value.coins ?? 0n}`,
    extra_currencies: writeExtraCurrencies(internal?.value.other),
    fwd_fee: `${internal?.forwardFee ?? 0n}`,
    ihr_fee: `${internal?.ihrFee ?? 0n}`,
    created_lt: `${info.type === 'external-in' ? 0n : info.createdLt}`,
    body_hash: writeHash(body.hash()),
    msg_data: data.json,
    ...(form === 'legacy' && data.message),
  }
  return { json, fees: (internal?.forwardFee ?? 0n) + (internal?.ihrFee ?? 0n) }
}

/**
 * Formats an address as an object.
 *
 * @param address The address; undefined becomes an empty text.
 * @returns `accountAddress` of the API.
 */
export function writeAccountAddress(address: Address | undefined): object {
  return { '@type': 'accountAddress', account_address: writeFriendly(address) }
}

/**
 * Formats the extra currencies of an amount.
 *
 * @param other Amounts by the number of the currency.
 * @returns A list of `extraCurrency` of the API.
 */
export function writeExtraCurrencies(
  other: Iterable<readonly [id: number, amount: bigint]> | null | undefined,
): object[] {
  return [...(other ?? [])].map(([id, amount]) => ({ '@type': 'extraCurrency', id, amount: `${amount}` }))
}

function writeFriendly(address: Address | undefined): string {
  return address?.toString() ?? ''
}

interface Data {
  readonly json: object
  /** The additional fields of the legacy form. */
  readonly message: { message: string } | { message_decode_error: string }
}

function writeData({ body, init }: Message): Data {
  const comment = readComment(body)
  if (comment !== undefined) {
    const text = comment.bytes.toString('base64')
    return comment.encrypted
      ? { json: { '@type': 'msg.dataEncryptedText', text }, message: { message: text } }
      : { json: { '@type': 'msg.dataText', text }, message: { message: comment.bytes.toString() } }
  }
  const json = {
    '@type': 'msg.dataRaw',
    body: writeBoc(body),
    init_state:
      init === null || init === undefined ? '' : writeBoc(beginCell().store(storeStateInit(init)).endCell()),
  }
  return { json, message: readRootBits(body) }
}

function readRootBits(body: Cell): Data['message'] {
  if (body.bits.length % 8 !== 0) {
    return { message_decode_error: 'failed to decode msg body hex: the bits are not whole bytes' }
  }
  return { message: `${cellBytes(body).toString('base64')}\n` }
}
