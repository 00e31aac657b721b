import { beginCell, loadMessage, storeStateInit, type Address, type Cell, type Message } from '@ton/core'
import { writeBoc } from '../cells/bag-of-cells.ts'
import { readComment } from '../cells/comment.ts'
import { writeHash } from '../cells/hash.ts'
import { cellBytes } from './cell-bytes.ts'

/** How the two forms of a message differ from each other: `raw.message` and the older `ext.message`. */
export type MessageForm = 'std' | 'legacy'

/** A message with what its transaction counts as fees. */
export interface WrittenMessage {
  readonly json: object
  /** What forwarding it costs its sender. */
  readonly fees: bigint
}

/**
 * Writes a message of a transaction.
 *
 * @param cell The message as its transaction holds it.
 * @param form Which form to write.
 * @returns The message of the interface.
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
 * Writes an address in an object of its own.
 *
 * @param address The address; none is written as an empty text.
 * @returns `accountAddress` of the interface.
 */
export function writeAccountAddress(address: Address | undefined): object {
  return { '@type': 'accountAddress', account_address: writeFriendly(address) }
}

/**
 * Writes the currencies of an amount beside the coins.
 *
 * @param other Amounts by the number of the currency.
 * @returns A list of `extraCurrency` of the interface.
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
  /** What the older form says beside it. */
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
