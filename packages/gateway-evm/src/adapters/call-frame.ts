import type { CancellationSignal } from '@fairlead/runtime'
import { malformed } from '../response/rpc-errors.ts'
import type { Upstream } from '../upstream/types.ts'
import { isRecord } from '@fairlead/gateway-core/json'

/** A call inside a transaction, as the call tracer reports it. */
export interface CallFrame {
  readonly type: string
  readonly from: string
  readonly to?: string
  readonly value?: string
  readonly input: string
  readonly output?: string
  readonly calls?: readonly CallFrame[]
}

/** A call and its nesting depth. */
export interface NestedCall {
  readonly depth: number
  readonly frame: CallFrame
}

/**
 * Lists the calls of a mined transaction in execution order, without calls to precompiled contracts.
 *
 * @returns undefined when the transaction is unknown or not mined
 */
export async function callsOf(
  hash: unknown,
  upstream: Upstream,
  signal: CancellationSignal,
): Promise<readonly NestedCall[] | undefined> {
  const transaction = await upstream.call('eth_getTransactionByHash', [hash], signal)
  if (!isRecord(transaction) || typeof transaction['blockHash'] !== 'string') return undefined
  const top = await upstream.call('debug_traceTransaction', [hash, { tracer: 'callTracer' }], signal)
  if (!isRecord(top) || typeof top['type'] !== 'string') throw malformed()
  return flat(top as unknown as CallFrame, 0)
}

// Precompiled contracts at 0x01 to 0xff, and the signature verification at 0x100.
const precompiled = /^0x0{36}0(?:0(?!00)[0-9a-f]{2}|100)$/i

function flat(frame: CallFrame, depth: number): readonly NestedCall[] {
  if (depth > 0 && frame.type.endsWith('CALL') && precompiled.test(frame.to ?? '')) return []
  return [{ depth, frame }, ...(frame.calls ?? []).flatMap((call) => flat(call, depth + 1))]
}
