import type { Address } from '@ton/core'
import { writeHash } from '../../cells/hash.ts'
import { directory } from '../directory/directory.ts'
import { writeRows } from '../../write-rows.ts'
import { cellOf, type ChainMessage } from '../messages/chain-message.ts'
import { messagesAt } from '../messages/find-messages.ts'
import { query } from '../operation.ts'
import { isInside, pageOf, rowsOrNull, filterRows } from '../page.ts'
import { addressOrNone, boolean, direction, hash, hashes, opcode, page, sort, window } from '../parameters.ts'
import { messageRow } from '../rows/message-row.ts'

const filters = {
  msg_hash: hashes,
  hash: hashes,
  body_hash: hash,
  source: addressOrNone,
  destination: addressOrNone,
  opcode,
  direction,
  exclude_externals: boolean,
  only_externals: boolean,
}

export const messageOperations = [
  query('messages', { ...filters, ...window, ...page, sort }, async (context, values) => {
    const { body_hash, source, destination } = values
    const wanted = new Set([...values.msg_hash, ...values.hash].map(writeHash))
    const matches = (message: ChainMessage) =>
      (wanted.size === 0 || wanted.has(message.hash) || wanted.has(message.hashNorm ?? '')) &&
      (body_hash === undefined || message.bodyHash === writeHash(body_hash)) &&
      isAddress(source, message.source) &&
      isAddress(destination, message.destination) &&
      (values.opcode === undefined || message.opcode === values.opcode) &&
      (values.direction !== 'in' || message.receiver !== undefined) &&
      (values.direction !== 'out' || message.sender !== undefined) &&
      (values.exclude_externals !== true || message.createdLt !== undefined) &&
      (values.only_externals !== true || message.createdLt === undefined) &&
      isInWindow(message)
    const isBounded = [values.start_utime, values.end_utime, values.start_lt, values.end_lt].some(
      (bound) => bound !== undefined,
    )
    // An external message has no creation time, and so matches no time window.
    const isInWindow = ({ createdLt, createdAt }: ChainMessage) =>
      createdLt === undefined || createdAt === undefined ? !isBounded : isInside(values, createdAt, createdLt)
    const filter = {
      hashes: [...values.msg_hash, ...values.hash],
      source: addressOf(source),
      destination: addressOf(destination),
      withExternals: !isBounded && values.exclude_externals !== true,
    }
    const messages = messagesAt(context.chain, filter, values.sort)
    const found = await pageOf(filterRows(messages, matches), values)
    return {
      messages: rowsOrNull(await writeRows(found, listedRow)),
      ...(await directory(
        context,
        found.flatMap((message) => [message.source, message.destination]),
      )),
    }
  }),
]

function addressOf(wanted: Address | 'none' | undefined): Address | undefined {
  return wanted === 'none' ? undefined : wanted
}

function isAddress(wanted: Address | 'none' | undefined, raw: string | undefined): boolean {
  if (wanted === undefined) return true
  return wanted === 'none' ? raw === undefined : raw === wanted.toRawString()
}

/** Formats a message of a list, including the transactions that received and sent it. */
function listedRow(message: ChainMessage) {
  const { receiver, sender, hashNorm } = message
  return {
    ...messageRow(cellOf(message)),
    ...(receiver && { in_msg_tx_hash: writeHash(receiver.hash) }),
    ...(sender && { out_msg_tx_hash: writeHash(sender.hash) }),
    ...(hashNorm !== undefined && { hash_norm: hashNorm }),
  }
}
