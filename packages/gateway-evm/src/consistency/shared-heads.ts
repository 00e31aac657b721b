import type { DeadlineStore } from '@fairlead/gateway-core/shared-store/deadline-store'

// The high-water mark of a credential expires after this time without calls.
const lifetimeMs = 300_000

// Returns the effective number: the reported one, or a higher earlier one while an upstream may only be lagging. Uses
// the clock of the store.
const raise = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local reported, holdMs = tonumber(ARGV[1]), tonumber(ARGV[2])
local stored = redis.call('HMGET', KEYS[1], 'number', 'lowerSince')
local number, since = tonumber(stored[1]), tonumber(stored[2])
if number and reported < number then
  if not since then
    since = now
    redis.call('HSET', KEYS[1], 'lowerSince', since)
  end
  if now - since < holdMs then return number end
end
redis.call('HSET', KEYS[1], 'number', reported)
redis.call('HDEL', KEYS[1], 'lowerSince')
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return reported`

/**
 * High-water mark of the latest block number that each credential has received from any replica, in the shared store.
 */
export class SharedHeads {
  readonly #store: DeadlineStore
  readonly #graceMs: number

  /** @param graceMs - as in `CredentialHeads` */
  constructor(store: DeadlineStore, graceMs = 10_000) {
    this.#store = store
    this.#graceMs = graceMs
  }

  /** Whether the store is reachable. */
  get isUp(): boolean {
    return this.#store.isUp
  }

  /**
   * Records that an upstream has a block of a chain, and returns the lowest number of that chain that the credential may
   * receive.
   *
   * @returns undefined when the store does not respond before the deadline
   */
  async raise(credentialId: string, chain: string, number: number): Promise<number | undefined> {
    const args = [number, this.#graceMs, lifetimeMs]
    const key = `fairlead-head-1:${credentialId}:${chain}`
    const height = await this.#store.query((store) => store.script(raise, [key], args))
    return typeof height === 'number' ? height : undefined
  }
}
