import type { Address, TupleItem } from '@ton/core'
import type { GetMethodOutcome, JettonChain } from '../../../chain/jetton-chain.ts'
import { accountAt } from '../account-at.ts'
import { writeBlockId, writeTransactionId } from '../block-id.ts'
import { readLegacyStackEntry, writeLegacyStackEntry } from '../legacy-stack-entry.ts'
import { isShallowStack } from '../engine-bounds.ts'
import { posting, type Methods } from '../method.ts'
import { address, int32, list, optional, positive, type Parameter } from '../parameters.ts'
import { malformed, readStackEntry, writeStackEntry } from '../stack-entry.ts'

// The exit code that the TON node library returns for a contract that does not exist.
const notActive = -13

/** The name of a get method, or its number. */
const method: Parameter<string | number> = {
  read(input, name) {
    const isNumber = typeof input === 'number' || (typeof input === 'string' && /^-?\d+$/.test(input))
    if (isNumber) return int32.read(input, name)
    if (typeof input !== 'string' || input === '') throw new TypeError('not a method')
    return input
  },
}

const call = { address, method, stack: list, seqno: optional(positive) }

/** Methods that run get methods. */
export const runMethods: Methods = {
  runGetMethod: posting(call, async (chain, values) => {
    const { block, state } = await accountAt(chain, values.address, values.seqno)
    const stack = values.stack.map(readLegacyStackEntry)
    const outcome = await run(chain, values.address, values.method, stack)
    return {
      '@type': 'smc.runResult',
      gas_used: Number(outcome.gasUsed),
      stack: outcome.stack.map(writeLegacyStackEntry),
      exit_code: outcome.exitCode,
      block_id: writeBlockId(block),
      last_transaction_id: writeTransactionId(state.lastTransactionLt, state.lastTransactionHash),
    }
  }),
  runGetMethodStd: posting(call, async (chain, values) => {
    await accountAt(chain, values.address, values.seqno)
    const stack = values.stack.map((entry) => readStackEntry(entry))
    const outcome = await run(chain, values.address, values.method, stack)
    return {
      '@type': 'smc.runResult',
      gas_used: Number(outcome.gasUsed),
      stack: outcome.stack.map((entry) => writeStackEntry(entry)),
      exit_code: outcome.exitCode,
    }
  }),
}

async function run(
  chain: JettonChain,
  account: Address,
  name: string | number,
  stack: readonly TupleItem[],
): Promise<GetMethodOutcome> {
  if (!isShallowStack(stack)) throw malformed('it is too deep')
  const { status } = await chain.summary(account)
  if (status !== 'active') return { exitCode: notActive, gasUsed: 0n, stack: [] }
  return chain.runGetMethod(account, name, stack)
}
