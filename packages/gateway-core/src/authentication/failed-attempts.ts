import { isIPv6 } from 'node:net'
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { plainAddress } from '../admission/access-rules.ts'
import { guardedInterval } from '@fairlead/http1'

/** Slows down those who try credentials out. */
export interface FailedAttemptLimiter {
  /**
   * Counts a credential that opens nothing.
   *
   * @returns after how many milliseconds the address may try again; 0 while it has not tried too often
   */
  failed(address: string): number
  /** Takes over how many unknown credentials one address may send in a minute. */
  change(maxFailures: number): void
  states(): FailedAttemptStates
  close(): void
}

/** What was counted since the start. */
export interface FailedAttemptStates {
  /** Credentials that opened nothing. */
  readonly failed: number
  /** Those of them that were refused for their number. */
  readonly throttled: number
}

/** What a watch is made with. */
export interface FailedAttemptOptions {
  /** Hears once a minute of an address that tries too often. */
  readonly log: Logger
  /** Unknown credentials that one address may send in a minute. */
  readonly maxFailures?: number | undefined
}

interface Tries {
  count: number
  readonly since: number
}

const windowMs = 60_000
const defaultMaxFailures = 60
// Whoever has more addresses than this drives his own tries out, and has tokens of 128 random bits before him.
const maxAddresses = 20_000

/**
 * Makes a watch over unknown credentials, by the address of the client; those of an IPv6 network of 64 bits count
 * together. A credential that is known passes always: many people share an address.
 */
export function createFailedAttemptLimiter(options: FailedAttemptOptions): FailedAttemptLimiter {
  const { log } = options
  let { maxFailures = defaultMaxFailures } = options
  const counts = { failed: 0, throttled: 0 }
  const tell = (network: string, { count }: Tries) => {
    if (count > maxFailures) log.warn({ address: network, tries: count }, 'unknown credentials were tried')
  }
  const known = new LRUCache<string, Tries>({
    max: maxAddresses,
    dispose: (tries, network) => tell(network, tries),
  })
  const forgetting = guardedInterval(() => {
    const now = performance.now()
    for (const [network, { since }] of known.entries()) if (now - since >= windowMs) known.delete(network)
  }, windowMs / 4).unref()
  return {
    failed: (address) => {
      const now = performance.now()
      const network = addressPrefix(address)
      const before = known.get(network)
      const isOver = before === undefined || now - before.since >= windowMs
      const tries = isOver ? { count: 0, since: now } : before
      if (isOver) known.set(network, tries)
      tries.count += 1
      counts.failed += 1
      if (tries.count <= maxFailures) return 0
      counts.throttled += 1
      return tries.since + windowMs - now
    },
    change: (next) => {
      maxFailures = next
    },
    states: () => counts,
    close: () => {
      clearInterval(forgetting)
      known.clear()
    },
  }
}

/** The address, or the first 64 bits of one of IPv6: what one client has. */
export function addressPrefix(address: string): string {
  const plain = plainAddress(address)
  if (!isIPv6(plain)) return plain
  const [head = '', tail] = plain.split('::', 2)
  const groups = head === '' ? [] : head.split(':')
  // An IPv4 address at the end stands for two groups.
  const last = tail === undefined || tail === '' ? [] : tail.split(':')
  const written = groups.length + last.length + (plain.includes('.') ? 1 : 0)
  const zeros = tail === undefined ? 0 : 8 - written
  const all = [...groups, ...Array.from({ length: zeros }, () => '0'), ...last].slice(0, 4)
  return `${all.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}
