import type { Adapter } from './adapter.ts'
import { type CallFrame, callsOf } from './call-frame.ts'

const derivedFrom = ['eth_getTransactionByHash', 'debug_traceTransaction']

/**
 * Returns the calls of a transaction in order. Execution clients list different kinds of calls; the call tracer has
 * all.
 */
export const otsTraceTransaction: Adapter = {
  derivedFrom,
  handle: async ({ signal }, [hash], upstream) => {
    const calls = await callsOf(hash, upstream, signal)
    return (
      calls?.map(({ depth, frame: { type, from, to = zeroAddress, value = '0x0', input, output } }) => ({
        type,
        depth,
        from,
        to,
        value: valueless.has(type) ? null : value,
        input: input ?? '0x',
        output: type === 'SELFDESTRUCT' ? null : (output ?? '0x'),
      })) ?? null
    )
  },
}

/** Returns the internal value transfers of a transaction. Some execution clients also list the transaction itself. */
export const otsGetInternalOperations: Adapter = {
  derivedFrom,
  handle: async ({ signal }, [hash], upstream) => {
    const calls = (await callsOf(hash, upstream, signal)) ?? []
    return calls.flatMap(({ depth, frame }) => {
      const type = depth === 0 ? undefined : operationOf(frame)
      return type === undefined
        ? []
        : [{ type, from: frame.from, to: frame.to ?? zeroAddress, value: frame.value ?? '0x0' }]
    })
  },
}

/** Returns the revert data of a transaction. It is `0x` where an execution client returns null. */
export const otsGetTransactionError: Adapter = { transformResult: (bytes) => bytes ?? '0x' }

// Address reported as the target of a failed contract creation.
const zeroAddress = `0x${'0'.repeat(40)}`

const valueless: ReadonlySet<string> = new Set(['STATICCALL', 'DELEGATECALL'])

const operations: ReadonlyMap<string, number> = new Map([
  ['CALL', 0],
  ['SELFDESTRUCT', 1],
  ['CREATE', 2],
  ['CREATE2', 3],
])

function operationOf({ type, value = '0x0' }: CallFrame): number | undefined {
  return type === 'CALL' && BigInt(value) === 0n ? undefined : operations.get(type)
}
