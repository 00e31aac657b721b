import type { Operation } from './operation.ts'
import { accountOperations } from './operations/accounts.ts'
import { actionOperations } from './operations/actions.ts'
import { blockOperations } from './operations/blocks.ts'
import { decodeOperations } from './operations/decode.ts'
import { jettonOperations } from './operations/jettons.ts'
import { messageOperations } from './operations/messages.ts'
import { nodeOperations } from './operations/node-access.ts'
import { notIndexed } from './operations/not-indexed.ts'
import { pendingOperations } from './operations/pending.ts'
import { traceOperations } from './operations/traces.ts'
import { transactionOperations } from './operations/transactions.ts'

/** Every operation of the indexer. */
export const operations: readonly Operation[] = [
  ...blockOperations,
  ...transactionOperations,
  ...messageOperations,
  ...accountOperations,
  ...jettonOperations,
  ...traceOperations,
  ...actionOperations,
  ...pendingOperations,
  ...nodeOperations,
  ...decodeOperations,
  ...notIndexed,
]
