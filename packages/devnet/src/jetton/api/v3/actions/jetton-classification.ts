import { writeRawAddress } from '../../cells/address.ts'
import type { JettonIndex } from '../../../chain/jetton-chain.ts'
import { opcode } from '../decode/known-opcodes.ts'
import { decodeBody } from '../decode/message-body.ts'
import type { Classification } from './action.ts'
import { childBy, type Step } from './step.ts'
import { readBoc } from '../../cells/bag-of-cells.ts'
import { readComment } from '../../cells/comment.ts'

/**
 * Recognizes a jetton operation (TEP-74) that starts with a transaction: a transfer, a burn or a mint. Only accounts
 * that the index knows as jetton wallets count.
 */
export function classifyJetton(index: JettonIndex, step: Step): Classification | undefined {
  return transferMeaning(index, step) ?? burnMeaning(index, step) ?? mintMeaning(index, step)
}

function transferMeaning(index: JettonIndex, step: Step): Classification | undefined {
  const wallet = index.wallets.get(step.transaction.account)
  const body = bodyOf(step, opcode.transfer)
  if (wallet === undefined || body === undefined) return undefined
  const { amount, destination, query_id, response_destination } = body
  const { custom_payload, forward_payload, forward_ton_amount } = body
  const arrival = childBy(step, opcode.internalTransfer)
  const comment = readPayloadComment(forward_payload ?? undefined)
  return {
    type: 'jetton_transfer',
    success: arrival !== undefined && !arrival.isAborted,
    details: {
      asset: writeRawAddress(wallet.master),
      sender: writeRawAddress(wallet.owner),
      receiver: destination,
      sender_jetton_wallet: writeRawAddress(wallet.address),
      receiver_jetton_wallet: arrival === undefined ? null : writeRawAddress(arrival.transaction.account),
      amount,
      comment: comment?.text ?? null,
      is_encrypted_comment: comment?.encrypted ?? null,
      query_id,
      response_destination,
      custom_payload,
      forward_payload,
      forward_amount: forward_ton_amount,
    },
    steps: [step, ...arrivalOf(arrival)],
    parties: [wallet.master, wallet.owner, destination?.toLowerCase()],
  }
}

function burnMeaning(index: JettonIndex, step: Step): Classification | undefined {
  const wallet = index.wallets.get(step.transaction.account)
  const body = bodyOf(step, opcode.burn)
  if (wallet === undefined || body === undefined) return undefined
  const notification = childBy(step, opcode.burnNotification)
  return {
    type: 'jetton_burn',
    success: notification?.transaction.account === wallet.master && !notification.isAborted,
    details: {
      owner: writeRawAddress(wallet.owner),
      owner_jetton_wallet: writeRawAddress(wallet.address),
      asset: writeRawAddress(wallet.master),
      amount: body['amount'],
    },
    steps: present([step, notification, childBy(notification, opcode.excesses)]),
    parties: [wallet.master, wallet.owner],
  }
}

/** Recognizes a mint, which begins with the transaction of the master that sends new jettons. */
function mintMeaning(index: JettonIndex, step: Step): Classification | undefined {
  const arrival = childBy(step, opcode.internalTransfer)
  const wallet = arrival && index.wallets.get(arrival.transaction.account)
  if (arrival === undefined || wallet?.master !== step.transaction.account) return undefined
  const { info, body } = arrival.message
  return {
    type: 'jetton_mint',
    success: !arrival.isAborted,
    details: {
      asset: writeRawAddress(wallet.master),
      receiver: writeRawAddress(wallet.owner),
      receiver_jetton_wallet: writeRawAddress(wallet.address),
      amount: decodeBody(body)?.['amount'] ?? null,
      ton_amount: info.type === 'internal' ? String(info.value.coins) : null,
    },
    steps: [step, ...arrivalOf(arrival)],
    parties: [wallet.master, wallet.owner],
  }
}

/** Returns the arrival of jettons at a wallet, with the messages that the wallet sends as a result. */
function arrivalOf(arrival: Step | undefined): readonly Step[] {
  return present([arrival, childBy(arrival, opcode.transferNotification), childBy(arrival, opcode.excesses)])
}

function bodyOf({ message }: Step, code: number) {
  return message.opcode === code ? decodeBody(message.body) : undefined
}

function present(steps: readonly (Step | undefined)[]): readonly Step[] {
  return steps.filter((step) => step !== undefined)
}

/** Reads the comment in a base64 payload; an encrypted comment stays in base64. */
function readPayloadComment(payload: string | undefined) {
  const cell = payload === undefined ? undefined : readBoc(payload)
  const comment = cell === undefined ? undefined : readComment(cell)
  if (comment === undefined) return undefined
  const { encrypted, bytes } = comment
  return { encrypted, text: bytes.toString(encrypted ? 'base64' : 'utf8') }
}
