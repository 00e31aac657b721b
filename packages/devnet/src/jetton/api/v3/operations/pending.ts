import { Failure } from '../../failure.ts'
import { query } from '../operation.ts'
import { address, addresses, atLeastOne, boolean, hashes, names } from '../parameters.ts'

const pendingFilters = { account: address, ext_msg_hash: hashes }

/** Pending messages: always none, because a message is executed before its sender receives a response. */
export const pendingOperations = [
  query('pendingTransactions', { account: atLeastOne(addresses), trace_id: hashes }, () => ({
    transactions: null,
    address_book: {},
  })),

  query('pendingTraces', pendingFilters, (_context, values) => {
    requireFilter(values)
    return { traces: null, address_book: {}, metadata: {} }
  }),

  query(
    'pendingActions',
    { ...pendingFilters, supported_action_types: names, include_transactions: boolean },
    (_context, values) => {
      requireFilter(values)
      return { actions: null, address_book: {}, metadata: {} }
    },
  ),
]

function requireFilter({ account, ext_msg_hash }: { account: unknown; ext_msg_hash: readonly unknown[] }) {
  if (account === undefined && ext_msg_hash.length === 0) {
    throw new Failure(422, 'account or ext_msg_hash should be specified')
  }
}
