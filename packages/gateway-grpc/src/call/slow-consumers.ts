import { Status } from '@fairlead/grpc-transport/wire'
import type { ProxiedCall } from './proxied-call.ts'
import { guardedTimeout } from '@fairlead/runtime'

/** The calls whose clients do not read their buffered data. */
export interface SlowConsumers {
  /** Adds a call whose client has stopped reading. */
  add(call: ProxiedCall): void
  /** Removes a call whose client reads again, or that has ended. */
  delete(call: ProxiedCall): void
}

// A client on a slow connection stalls for moments, and many clients may do so at a time.
const stallTimeoutMs = 5_000

/**
 * Creates the set of calls whose clients do not read. Each call buffers as much as the upstream sends ahead, for as
 * long as the client stalls. When too many calls stall, the one that stalled first is ended.
 *
 * @param maxCalls - maximum number of calls that may stall for longer than a moment
 */
export function createSlowConsumers(maxCalls: number): SlowConsumers {
  // In the order in which they stalled.
  const stalledAt = new Map<ProxiedCall, number>()
  let timer: NodeJS.Timeout | undefined
  const check = () => {
    timer = undefined
    if (stalledAt.size <= maxCalls) return
    const calls: ProxiedCall[] = []
    for (const [call, at] of stalledAt) {
      const remainingMs = at + stallTimeoutMs - performance.now()
      if (remainingMs > 0) {
        timer = guardedTimeout(check, remainingMs).unref()
        break
      }
      calls.push(call)
    }
    for (const call of calls.slice(0, Math.max(0, calls.length - maxCalls))) {
      stalledAt.delete(call)
      call.terminate(Status.RESOURCE_EXHAUSTED, 'The client reads too slowly.')
    }
  }
  return {
    add: (call) => {
      stalledAt.set(call, performance.now())
      if (timer === undefined) check()
    },
    delete: (call) => void stalledAt.delete(call),
  }
}
