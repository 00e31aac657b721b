import {
  beginCell,
  loadMessage,
  storeStateInit,
  type Cell,
  type CommonMessageInfo,
  type Message,
} from '@ton/core'
import { writeRawAddress } from '../../cells/address.ts'
import { writeBoc } from '../../cells/bag-of-cells.ts'
import { writeHash } from '../../cells/hash.ts'
import { decodeBody, nameOpcode } from '../decode/message-body.ts'
import { readOpcode } from '../decode/opcode.ts'
import { extraCurrencies } from './currencies.ts'

/** Formats a message from its cell. */
export function messageRow(cell: Cell) {
  const message = loadMessage(cell.beginParse())
  const opcode = readOpcode(message.body)
  return {
    hash: writeHash(cell.hash()),
    ...infoRow(message.info),
    opcode: opcode === undefined ? null : `0x${opcode.toString(16).padStart(8, '0')}`,
    decoded_opcode: opcode === undefined ? null : (nameOpcode(opcode) ?? null),
    message_content: contentRow(message.body, decodeBody(message.body) ?? null),
    init_state: initRow(message),
  }
}

const absent = {
  source: null,
  destination: null,
  value: null,
  value_extra_currencies: {},
  fwd_fee: null,
  ihr_fee: null,
  extra_flags: null,
  created_lt: null,
  created_at: null,
  ihr_disabled: null,
  bounce: null,
  bounced: null,
  import_fee: null,
}

function infoRow(info: CommonMessageInfo) {
  if (info.type === 'external-in') {
    return { ...absent, destination: writeRawAddress(info.dest), import_fee: String(info.importFee) }
  }
  const sent = {
    ...absent,
    source: writeRawAddress(info.src),
    created_lt: String(info.createdLt),
    created_at: String(info.createdAt),
  }
  if (info.type === 'external-out') return sent
  return {
    ...sent,
    destination: writeRawAddress(info.dest),
    value: String(info.value.coins),
    value_extra_currencies: extraCurrencies(info.value),
    fwd_fee: String(info.forwardFee),
    ihr_fee: '0',
    // The field of the former instant routing fee now contains the flags of a message.
    extra_flags: String(info.ihrFee),
    ihr_disabled: info.ihrDisabled,
    bounce: info.bounce,
    bounced: info.bounced,
  }
}

function initRow({ init }: Message) {
  return init ? contentRow(beginCell().store(storeStateInit(init)).endCell(), null) : null
}

function contentRow(cell: Cell, decoded: unknown) {
  return { hash: writeHash(cell.hash()), body: writeBoc(cell), decoded }
}
