import type { Address } from '@ton/core'
import { writeBoc } from '../../cells/bag-of-cells.ts'
import { writeHash } from '../../cells/hash.ts'
import { methods } from '../../v2/methods.ts'
import type { JettonChain } from '../../../chain/jetton-chain.ts'
import { Failure } from '../../failure.ts'
import { call, query } from '../operation.ts'
import { address, boolean, required } from '../parameters.ts'
import { walletFields, walletOf } from '../rows/wallet.ts'
import { readStack, writeStack, type TypedEntry } from './stack.ts'

const account = { address: required(address, 401), use_v2: boolean }

/** The operations that the indexer forwards to a TON node by the v2 API, and that use the v2 API here as well. */
export const nodeOperations = [
  query('addressInformation', account, async ({ chain }, values) => {
    const state = await chain.account(values.address)
    const stored = state.account?.storage.state
    const contract = stored?.type === 'active' ? stored.state : undefined
    return {
      ...(await commonFields(chain, values.address)),
      code: contract?.code ? writeBoc(contract.code) : null,
      data: contract?.data ? writeBoc(contract.data) : null,
      frozen_hash: stored?.type === 'frozen' ? writeHash(stored.stateHash) : null,
    }
  }),

  query('walletInformation', account, async ({ chain }, values) => {
    const wallet = walletOf(await chain.account(values.address))
    const common = await commonFields(chain, values.address)
    if (wallet === undefined && common.status !== 'uninit') throw new Failure(409, 'not a wallet')
    const { is_signature_allowed: _extended, ...fields } = walletFields(wallet)
    return { ...common, ...fields }
  }),

  call('message', async ({ chain }, { boc }) => {
    if (boc === undefined) throw new Failure(401, 'boc is required')
    const sent = await callV2<{ hash: string; hash_norm: string }>(chain, 'sendBocReturnHash', { boc })
    return { message_hash: sent.hash, message_hash_norm: sent.hash_norm }
  }),

  call('estimateFee', async ({ chain }, body) => {
    const fees = await callV2<EstimatedFees>(chain, 'estimateFee', body)
    return {
      source_fees: withoutType(fees.source_fees),
      destination_fees: fees.destination_fees.map(withoutType),
    }
  }),

  call('runGetMethod', async ({ chain }, { address: contract, method, stack = [] }) => {
    if (contract === undefined) throw new Failure(401, 'address is required')
    if (method === undefined) throw new Failure(401, 'method is required')
    const outcome = await callV2<MethodOutcome>(chain, 'runGetMethodStd', {
      address: contract,
      method,
      stack: readStack(stack),
    })
    return {
      gas_used: outcome.gas_used,
      exit_code: outcome.exit_code,
      stack: writeStack(outcome.stack),
    }
  }),
]

interface EstimatedFees {
  readonly source_fees: object
  readonly destination_fees: readonly object[]
}

interface MethodOutcome {
  readonly gas_used: number
  readonly exit_code: number
  readonly stack: readonly TypedEntry[]
}

async function callV2<result>(
  chain: JettonChain,
  method: string,
  parameters: Readonly<Record<string, unknown>>,
): Promise<result> {
  return (await methods[method]?.call(chain, parameters, 'post')) as result
}

async function commonFields(chain: JettonChain, wanted: Address) {
  const { lastTransactionHash, lastTransactionLt } = await chain.account(wanted)
  const { balance, status } = await chain.summary(wanted)
  return {
    balance: String(balance),
    last_transaction_lt: String(lastTransactionLt),
    last_transaction_hash: writeHash(lastTransactionHash),
    // A TON node does not distinguish between an account that never existed and one without a contract.
    status: status === 'nonexist' ? 'uninit' : status,
  }
}

function withoutType(fees: object): object {
  return Object.fromEntries(Object.entries(fees).filter(([name]) => name !== '@type'))
}
