import type { ChainTransaction, Trace } from '../../../chain/jetton-chain.ts'
import type { Step } from './step.ts'

/** The kinds of actions that the index of this chain tells apart. */
export type ActionType =
  | 'call_contract'
  | 'contract_deploy'
  | 'jetton_burn'
  | 'jetton_mint'
  | 'jetton_transfer'
  | 'ton_transfer'

/** What a part of a trace meant, before its trace is known. */
export interface Classification {
  readonly type: ActionType
  readonly success: boolean
  readonly details: Readonly<Record<string, unknown>>
  /** What it is made of, the first of it first. */
  readonly steps: readonly Step[]
  /** Accounts that it names besides those of its steps, in raw form. */
  readonly parties: readonly (string | undefined)[]
}

/** What a part of a trace meant. */
export interface Action extends Omit<Classification, 'steps' | 'parties'> {
  /** 32 bytes in base64. */
  readonly id: string
  readonly trace: Trace
  /** The transactions that it is made of, the first of them first. */
  readonly transactions: readonly ChainTransaction[]
  readonly startLt: bigint
  readonly endLt: bigint
  readonly startUtime: number
  readonly endUtime: number
  /** Every account that took part, in raw form. */
  readonly accounts: ReadonlySet<string>
}
