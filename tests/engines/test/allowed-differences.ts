import type { Response } from './ask.ts'

/** A difference between go-ethereum and the gateway that a specification allows. */
export interface AllowedDifference {
  /** The specification and what it says. */
  readonly source: string
  readonly method: string
  allows(direct: Response, through: Response): boolean
}

const invalidParams = -32602

export const allowedDifferences: readonly AllowedDifference[] = [
  {
    source: 'specs/evm/methods/eth/eth_getBlockByHash.yaml: null for a hash that is unknown or invalid',
    method: 'eth_getBlockByHash',
    allows: ({ error }, { result }) => error?.code === invalidParams && result === null,
  },
  {
    source: 'specs/evm/methods/eth/eth_feeHistory.yaml: rewardPercentiles is not required',
    method: 'eth_feeHistory',
    allows: ({ error }, { result }) => error?.code === invalidParams && result !== undefined,
  },
]
