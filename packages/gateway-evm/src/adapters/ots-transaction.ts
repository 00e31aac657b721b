import type { Adapter } from './adapter.ts'
import { type CallFrame, callsOf } from './call-frame.ts'

const derivedFrom = ['eth_getTransactionByHash', 'debug_traceTransaction']

/** The calls of a transaction, one after the other. Clients differ in which kinds they list; the call tracer has all. */
export const otsTraceTransaction: Adapter = {
  derivedFrom,
  answer: async ({ signal }, [hash], upstream) => {
    const calls = await callsOf(hash, upstream, signal)
    return (
      calls?.map(({ depth, frame: { type, from, to = nowhere, value = '0x0', input, output } }) => ({
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

/** What moved value inside of a transaction. Some clients also list the transaction itself. */
export const otsGetInternalOperations: Adapter = {
  derivedFrom,
  answer: async ({ signal }, [hash], upstream) => {
    const calls = (await callsOf(hash, upstream, signal)) ?? []
    return calls.flatMap(({ depth, frame }) => {
      const type = depth === 0 ? undefined : operationOf(frame)
      return type === undefined
        ? []
        : [{ type, from: frame.from, to: frame.to ?? nowhere, value: frame.value ?? '0x0' }]
    })
  },
}

/** The bytes that a transaction reverted with; `0x` where a client has null for none. */
export const otsGetTransactionError: Adapter = { mend: (bytes) => bytes ?? '0x' }

// What a creation that failed would have made.
const nowhere = `0x${'0'.repeat(40)}`

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
