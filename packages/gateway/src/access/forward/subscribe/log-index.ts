import type { Block, LogEntry } from './block-window.ts'
import { type LogFilter, takesTopics } from './log-filter.ts'
import type { Subscriber } from './subscriber.ts'

/** All who want logs of one chain, found by the address of a log. */
export class LogIndex {
  readonly #byKey = new Map<string, Group>()
  readonly #byAddress = new Map<string, Set<Group>>()
  readonly #ofAny = new Set<Group>()

  /** How many different filters there are. */
  get filters(): number {
    return this.#byKey.size
  }

  /**
   * @param key - the same for equal filters
   * @param since - turn at which the subscriber joined; it hears of later ones
   */
  add(key: string, filter: LogFilter, subscriber: Subscriber, since: number): void {
    let group = this.#byKey.get(key)
    if (!group) {
      const topics = filter.topics.map((alternatives) => new Set(alternatives))
      group = { addresses: filter.addresses, topics, members: new Map() }
      this.#byKey.set(key, group)
      for (const set of this.#setsOf(group)) set.add(group)
    }
    group.members.set(subscriber, since)
  }

  remove(key: string, subscriber: Subscriber): void {
    const group = this.#byKey.get(key)
    if (!group?.members.delete(subscriber) || group.members.size > 0) return
    this.#byKey.delete(key)
    for (const set of this.#setsOf(group)) set.delete(group)
    for (const address of group.addresses) {
      if (this.#byAddress.get(address)?.size === 0) this.#byAddress.delete(address)
    }
  }

  /** Addresses whose logs are wanted, empty for those of all; undefined when nobody wants any. */
  wanted(maxAddresses: number): readonly string[] | undefined {
    if (this.#byKey.size === 0) return undefined
    return this.#ofAny.size > 0 || this.#byAddress.size > maxAddresses ? [] : [...this.#byAddress.keys()]
  }

  subscribers(): Subscriber[] {
    return [...this.#byKey.values()].flatMap(({ members }) => [...members.keys()])
  }

  /** Delivers the logs of a block, or takes them back. */
  deliver({ logs, turn }: Block, removed: boolean): void {
    for (const entry of removed ? logs.toReversed() : logs) {
      const text = removed ? JSON.stringify({ ...entry.log, removed: true }) : entry.text
      for (const group of this.#groupsFor(entry)) {
        for (const [subscriber, since] of group.members) if (since < turn) subscriber.deliver(text)
      }
    }
  }

  *#groupsFor({ log }: LogEntry): Iterable<Group> {
    const topics = log.topics.map((topic) => topic.toLowerCase())
    const takes = (group: Group) => takesTopics(group.topics, topics)
    yield* [...(this.#byAddress.get(log.address.toLowerCase()) ?? [])].filter(takes)
    yield* [...this.#ofAny].filter(takes)
  }

  #setsOf({ addresses }: Group): Set<Group>[] {
    if (addresses.length === 0) return [this.#ofAny]
    return addresses.map((address) => {
      const set = this.#byAddress.get(address) ?? new Set()
      this.#byAddress.set(address, set)
      return set
    })
  }
}

interface Group {
  readonly addresses: readonly string[]
  /** Sets, as somebody may want a thousand for each position of every log. */
  readonly topics: readonly ReadonlySet<string>[]
  /** With the turn at which each joined. */
  readonly members: Map<Subscriber, number>
}
