import { isIPv6 } from 'node:net'
import { createLruCache, guardedInterval } from '@fairlead/runtime'
import type { Logger } from 'pino'
import { plainAddress } from '../admission/access-rules.ts'

/** Throttles clients that guess credentials. */
export interface FailedAttemptLimiter {
  /**
   * Counts an unknown credential.
   *
   * @returns the number of milliseconds until the IP address may try again; 0 while it is within the limit
   */
  recordFailure(address: string): number
  /** Changes the maximum number of unknown credentials that one IP address may send per minute. */
  change(maxFailures: number): void
  states(): FailedAttemptStates
  close(): void
}

/** Counters since the start. */
export interface FailedAttemptStates {
  /** Number of unknown credentials. */
  readonly failed: number
  /** Number of unknown credentials that were throttled. */
  readonly throttled: number
}

/** Options of {@link createFailedAttemptLimiter}. */
export interface FailedAttemptOptions {
  /** Receives one entry per minute about an IP address that exceeds the limit. */
  readonly log: Logger
  /** Maximum number of unknown credentials that one IP address may send per minute. */
  readonly maxFailures?: number | undefined
}

interface Attempts {
  count: number
  readonly since: number
}

const windowMs = 60_000
const defaultMaxFailures = 60
// A client with more IP addresses than this evicts its own entries. It still has to guess tokens of 128 random bits.
const maxAddresses = 20_000

/**
 * Creates a limiter for unknown credentials by client IP address. Addresses of one IPv6 /64 network count together. A
 * known credential is never throttled: many people share an address.
 */
export function createFailedAttemptLimiter(options: FailedAttemptOptions): FailedAttemptLimiter {
  const { log } = options
  let { maxFailures = defaultMaxFailures } = options
  const counts = { failed: 0, throttled: 0 }
  const logThrottled = (network: string, { count }: Attempts) => {
    if (count > maxFailures)
      log.warn({ address: network, attempts: count }, 'too many requests with unknown credentials')
  }
  const byNetwork = createLruCache<Attempts>({
    maxEntries: maxAddresses,
    dispose: (attempts, network) => logThrottled(network, attempts),
  })
  const cleanup = guardedInterval(() => {
    const now = performance.now()
    for (const [network, { since }] of byNetwork.entries())
      if (now - since >= windowMs) byNetwork.delete(network)
  }, windowMs / 4).unref()
  return {
    recordFailure: (address) => {
      const now = performance.now()
      const network = addressPrefix(address)
      const before = byNetwork.get(network)
      const isOver = before === undefined || now - before.since >= windowMs
      const attempts = isOver ? { count: 0, since: now } : before
      if (isOver) byNetwork.set(network, attempts)
      attempts.count += 1
      counts.failed += 1
      if (attempts.count <= maxFailures) return 0
      counts.throttled += 1
      return attempts.since + windowMs - now
    },
    change: (next) => {
      maxFailures = next
    },
    states: () => counts,
    close: () => {
      clearInterval(cleanup)
      byNetwork.clear()
    },
  }
}

/** The IP address, or the /64 prefix of an IPv6 address: the range that one client has. */
export function addressPrefix(address: string): string {
  const plain = plainAddress(address)
  if (!isIPv6(plain)) return plain
  const [head = '', tail] = plain.split('::', 2)
  const groups = head === '' ? [] : head.split(':')
  // An IPv4 address at the end counts as two groups.
  const last = tail === undefined || tail === '' ? [] : tail.split(':')
  const written = groups.length + last.length + (plain.includes('.') ? 1 : 0)
  const zeros = tail === undefined ? 0 : 8 - written
  const all = [...groups, ...Array.from({ length: zeros }, () => '0'), ...last].slice(0, 4)
  return `${all.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}
