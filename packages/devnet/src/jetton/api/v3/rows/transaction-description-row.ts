import type {
  StorageUsed,
  TransactionActionPhase,
  TransactionBouncePhase,
  TransactionComputePhase,
  TransactionCreditPhase,
  TransactionDescription,
  TransactionStoragePhase,
} from '@ton/core'
import { writeHash } from '../../cells/hash.ts'
import { extraCurrencies } from './currencies.ts'

/** Formats the phases of a transaction. */
export function descriptionRow(description: TransactionDescription): object {
  if (description.type === 'storage') {
    return { type: 'storage', storage_ph: storageRow(description.storagePhase) }
  }
  if (description.type === 'tick-tock') {
    return { type: 'tick_tock', is_tock: description.isTock, ...phaseRows(description) }
  }
  // The chain always has exactly one shard, which never splits or merges.
  if (description.type !== 'generic') return { type: description.type.replace('-', '_') }
  const { creditPhase, bouncePhase } = description
  return {
    type: 'ord',
    credit_first: description.creditFirst,
    ...phaseRows(description),
    ...(creditPhase && { credit_ph: creditRow(creditPhase) }),
    ...(bouncePhase && { bounce: bounceRow(bouncePhase) }),
  }
}

type Maybe<value> = value | null | undefined

interface Phases {
  storagePhase?: Maybe<TransactionStoragePhase>
  computePhase: TransactionComputePhase
  actionPhase?: Maybe<TransactionActionPhase>
  aborted: boolean
  destroyed: boolean
}

function phaseRows({ storagePhase, computePhase, actionPhase, aborted, destroyed }: Phases) {
  return {
    aborted,
    destroyed,
    ...(storagePhase && { storage_ph: storageRow(storagePhase) }),
    compute_ph: computeRow(computePhase),
    ...(actionPhase && { action: actionRow(actionPhase) }),
  }
}

function storageRow(phase: TransactionStoragePhase) {
  return {
    storage_fees_collected: String(phase.storageFeesCollected),
    ...integer('storage_fees_due', phase.storageFeesDue),
    status_change: phase.statusChange,
  }
}

function creditRow(phase: TransactionCreditPhase) {
  return {
    ...integer('due_fees_collected', phase.dueFeesColelcted),
    credit: String(phase.credit.coins),
    credit_extra_currencies: extraCurrencies(phase.credit),
  }
}

function computeRow(phase: TransactionComputePhase) {
  if (phase.type === 'skipped') return { skipped: true, reason: phase.reason.replace('-', '_') }
  return {
    skipped: false,
    success: phase.success,
    msg_state_used: phase.messageStateUsed,
    account_activated: phase.accountActivated,
    gas_fees: String(phase.gasFees),
    gas_used: String(phase.gasUsed),
    gas_limit: String(phase.gasLimit),
    ...integer('gas_credit', phase.gasCredit),
    mode: phase.mode,
    exit_code: phase.exitCode,
    ...number('exit_arg', phase.exitArg),
    vm_steps: phase.vmSteps,
    vm_init_state_hash: writeHash(phase.vmInitStateHash),
    vm_final_state_hash: writeHash(phase.vmFinalStateHash),
  }
}

function actionRow(phase: TransactionActionPhase) {
  return {
    success: phase.success,
    valid: phase.valid,
    no_funds: phase.noFunds,
    status_change: phase.statusChange,
    ...integer('total_fwd_fees', phase.totalFwdFees),
    ...integer('total_action_fees', phase.totalActionFees),
    result_code: phase.resultCode,
    ...number('result_arg', phase.resultArg),
    tot_actions: phase.totalActions,
    spec_actions: phase.specActions,
    skipped_actions: phase.skippedActions,
    msgs_created: phase.messagesCreated,
    action_list_hash: writeHash(phase.actionListHash),
    tot_msg_size: sizeRow(phase.totalMessageSize),
  }
}

function bounceRow(phase: TransactionBouncePhase): object {
  if (phase.type === 'negative-funds') return { type: 'negfunds' }
  const msg_size = sizeRow(phase.messageSize)
  if (phase.type === 'no-funds') {
    return { type: 'nofunds', msg_size, req_fwd_fees: String(phase.requiredForwardFees) }
  }
  return {
    type: 'ok',
    msg_size,
    msg_fees: String(phase.messageFees),
    fwd_fees: String(phase.forwardFees),
  }
}

function sizeRow({ cells, bits }: StorageUsed) {
  return { cells: String(cells), bits: String(bits) }
}

function integer<name extends string>(name: name, value: Maybe<bigint>) {
  return typeof value === 'bigint' ? ({ [name]: String(value) } as Record<name, string>) : undefined
}

function number<name extends string>(name: name, value: Maybe<number>) {
  return typeof value === 'number' ? ({ [name]: value } as Record<name, number>) : undefined
}
