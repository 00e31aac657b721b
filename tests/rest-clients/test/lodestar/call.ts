import type { ApiClient } from '@lodestar/api'
import type { Chain, Head } from './chain.ts'
import type { Validators } from './validators.ts'

/** The namespaces of the beacon API, without the extensions of Lodestar. */
export type Namespace = 'beacon' | 'config' | 'debug' | 'lightclient' | 'node' | 'validator'

/** Validators for operations that can happen only once per validator, by operation. */
export interface Subjects {
  readonly attesterSlashing: number
  readonly proposerSlashing: number
  readonly voluntaryExit: number
  /** A validator with BLS withdrawal credentials. */
  readonly blsToExecutionChange: number
}

/** Values from which calls are built. */
export interface CallContext extends Chain, Head {
  readonly api: ApiClient
  readonly validators: Validators
  readonly subjects: Subjects
}

/** Calls an operation. The client itself decodes the result. */
export type Call = (context: CallContext, init: object) => Promise<unknown>

/** A call of each operation in a namespace. */
export type CallsOf<name extends Namespace> = Readonly<Record<keyof ApiClient[name], Call>>
