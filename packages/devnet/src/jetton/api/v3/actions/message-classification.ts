import { writeRawAddress } from '../../cells/address.ts'
import { readComment } from '../../cells/comment.ts'
import { opcode } from '../decode/known-opcodes.ts'
import { extraCurrencies } from '../rows/currencies.ts'
import type { Classification } from './action.ts'
import type { Step, ReceivedMessage } from './step.ts'

/** Classifies a message by its content only: coins with or without a comment, or a call. */
export function classifyMessage(step: Step): Classification {
  return isTonTransfer(step.message) ? tonTransfer(step) : call(step)
}

/** Recognizes the deployment of a contract; returns undefined for a transaction without one. */
export function classifyDeployment(step: Step): Classification | undefined {
  const { before, after } = step.transaction
  if (before.status === 'active' || after.status !== 'active') return undefined
  const { extra_currencies: _none, ...details } = callDetails(step.message)
  return { type: 'contract_deploy', success: true, details, ...partsOf(step) }
}

function isTonTransfer({ info, opcode: code }: ReceivedMessage): boolean {
  if (info.type !== 'internal') return false
  return code === undefined || code === opcode.textComment || code === opcode.encryptedComment
}

function tonTransfer(step: Step): Classification {
  const comment = readComment(step.message.body)
  const { source, destination, value, extra_currencies } = callDetails(step.message)
  return {
    type: 'ton_transfer',
    success: !step.children.some(({ isBounced }) => isBounced),
    details: {
      source,
      destination,
      value,
      value_extra_currencies: extra_currencies,
      comment: comment?.bytes.toString(comment.encrypted ? 'base64' : 'utf8') ?? null,
      encrypted: comment?.encrypted ?? false,
    },
    ...partsOf(step),
  }
}

function call(step: Step): Classification {
  return {
    type: 'call_contract',
    success: !step.isAborted,
    details: callDetails(step.message),
    ...partsOf(step),
  }
}

function partsOf(step: Step) {
  const { info } = step.message
  return { steps: [step], parties: [info.type === 'internal' ? info.src.toRawString() : undefined] }
}

function callDetails({ info, opcode: code }: ReceivedMessage) {
  const isInternal = info.type === 'internal'
  return {
    ...(code !== undefined && { opcode: `0x${code.toString(16).padStart(8, '0')}` }),
    ...(isInternal && { source: writeRawAddress(info.src) }),
    ...(info.type !== 'external-out' && { destination: writeRawAddress(info.dest) }),
    ...(isInternal && {
      value: String(info.value.coins),
      extra_currencies: extraCurrencies(info.value),
    }),
  }
}
