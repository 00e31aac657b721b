import type { ChainTransaction, Trace } from '../../../chain/jetton-chain.ts'
import type { Step } from './step.ts'

/** The types of actions that the index of this chain distinguishes. */
export type ActionType =
  | 'call_contract'
  | 'contract_deploy'
  | 'jetton_burn'
  | 'jetton_mint'
  | 'jetton_transfer'
  | 'ton_transfer'

/** The classification of a part of a trace, independent of the trace itself. */
export interface Classification {
  readonly type: ActionType
  readonly success: boolean
  readonly details: Readonly<Record<string, unknown>>
  /** Its transactions as steps, in order. */
  readonly steps: readonly Step[]
  /** Accounts that it names in addition to those of its steps, in raw form. */
  readonly parties: readonly (string | undefined)[]
}

/** A classified part of a trace. */
export interface Action extends Omit<Classification, 'steps' | 'parties'> {
  /** 32 bytes in base64. */
  readonly id: string
  readonly trace: Trace
  /** Its transactions, in order. */
  readonly transactions: readonly ChainTransaction[]
  readonly startLt: bigint
  readonly endLt: bigint
  readonly startUtime: number
  readonly endUtime: number
  /** Every account that is involved, in raw form. */
  readonly accounts: ReadonlySet<string>
}
