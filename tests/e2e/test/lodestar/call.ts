import type { ApiClient } from '@lodestar/api'
import type { Chain, Head } from './chain.ts'
import type { Validators } from './validators.ts'

/** The namespaces of the beacon API; what Lodestar adds of its own is left out. */
export type Namespace = 'beacon' | 'config' | 'debug' | 'lightclient' | 'node' | 'validator'

/** Validators to whom something happens that happens once only, by what it is. */
export interface Subjects {
  readonly attesterSlashing: number
  readonly proposerSlashing: number
  readonly voluntaryExit: number
  /** One whose withdrawals are still bound to a BLS key. */
  readonly blsToExecutionChange: number
}

/** What a call is made of. */
export interface Given extends Chain, Head {
  readonly api: ApiClient
  readonly validators: Validators
  readonly subjects: Subjects
}

/** Calls an operation; what it returns is decoded by the client itself. */
export type Call = (given: Given, init: object) => Promise<unknown>

/** A call of every operation in a namespace. */
export type CallsOf<name extends Namespace> = Readonly<Record<keyof ApiClient[name], Call>>
