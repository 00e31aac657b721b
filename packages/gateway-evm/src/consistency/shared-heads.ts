import type { DeadlineStore } from '@fairlead/gateway-core/shared-store/deadline-store'

// Whoever comes back later than this starts anew.
const lifetimeMs = 300_000

// Gives the height that counts: the one that is told, or a higher one that was shown before, for as long as it may only
// be that a node is behind. By the clock of the store.
const raise = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local told, patience = tonumber(ARGV[1]), tonumber(ARGV[2])
local seen = redis.call('HMGET', KEYS[1], 'number', 'lowerSince')
local number, since = tonumber(seen[1]), tonumber(seen[2])
if number and told < number then
  if not since then
    since = now
    redis.call('HSET', KEYS[1], 'lowerSince', since)
  end
  if now - since < patience then return number end
end
redis.call('HSET', KEYS[1], 'number', told)
redis.call('HDEL', KEYS[1], 'lowerSince')
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return told`

/** The highest block that each credential was shown by any replica, in the store that they share. */
export class SharedHeads {
  readonly #store: DeadlineStore
  readonly #patienceMs: number

  /** @param patienceMs - as of `CredentialHeads` */
  constructor(store: DeadlineStore, patienceMs = 10_000) {
    this.#store = store
    this.#patienceMs = patienceMs
  }

  /** Whether it is worth asking. */
  get isUp(): boolean {
    return this.#store.isUp
  }

  /**
   * Takes note that a node has a block, and tells below which one the credential is shown none.
   *
   * @returns undefined when the store does not say so soon enough
   */
  async raise(credentialId: string, number: number): Promise<number | undefined> {
    const told = [number, this.#patienceMs, lifetimeMs]
    const key = `fairlead-head-1:${credentialId}`
    const height = await this.#store.ask((store) => store.script(raise, [key], told))
    return typeof height === 'number' ? height : undefined
  }
}
