import { type CallCost, ordinaryCost } from '@fairlead/gateway-core/usage/units'

/** How the gateway treats the calls of a method. Generated from `x-gateway.yaml` of the specification. */
export interface GrpcPolicy {
  readonly cost: CallCost
  /** How a stream continues at another upstream. Undefined when it ends with its upstream. */
  readonly resume: 'geyser' | undefined
}

/** A method, and how the gateway treats its calls. */
export interface CalledMethod {
  /** Metrics label: the path of a method of the contract, never a text that the caller chose. */
  readonly label: string
  /** Whether the method streams messages, on either side. Undefined for a method that the contract does not define. */
  readonly isStream: boolean | undefined
  readonly policy: GrpcPolicy
}

/** A method that the contract does not define. */
export const unknownMethod: CalledMethod = {
  label: 'unknown',
  isStream: undefined,
  policy: { cost: ordinaryCost, resume: undefined },
}
