import { randomUUID } from 'node:crypto'
import type { SharedStore } from './types.ts'
import { guardedInterval } from '@fairlead/runtime'

/** Counts the replicas that share the limits. */
export interface Replicas {
  /** Last known number of replicas, including this one. */
  count(): number
  close(): Promise<void>
}

const heartbeatMs = 2_000
// A replica without a report for this long no longer counts.
const expiryMs = 10_000
const key = 'fairlead:replicas'

const heartbeatScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZCARD', KEYS[1])`

/**
 * Reports this replica to the shared store, and counts the replicas.
 *
 * @param minReplicas - minimum number of replicas, known without a store
 */
export function countReplicas(store: SharedStore | undefined, minReplicas: number): Replicas {
  if (store === undefined) return { count: () => minReplicas, close: async () => undefined }
  const id = randomUUID()
  let lastCount = minReplicas
  const heartbeat = async () => {
    if (!store.isUp) return
    // Without a response, the last number remains valid.
    const reply = await store.script(heartbeatScript, [key], [id, expiryMs]).catch(() => lastCount)
    lastCount = Math.max(minReplicas, Number(reply))
  }
  const timer = guardedInterval(() => void heartbeat(), heartbeatMs).unref()
  void heartbeat()
  return {
    count: () => lastCount,
    close: async () => {
      clearInterval(timer)
      if (store.isUp) await store.run(['ZREM', key, id]).catch(() => undefined)
    },
  }
}
