import type { Block, LogEntry } from './block-window.ts'
import { FilterTree, type TreeFilter, uncheckedPositions } from './filter-tree.ts'
import type { LogFilter } from './log-filter.ts'
import type { Subscriber } from './subscriber.ts'
import type { TimeSlices } from './time-slices.ts'

/** Index of the log subscribers of one chain, by the account address and the topics of a log. */
export class LogIndex {
  readonly #slices: TimeSlices
  readonly #byKey = new Map<string, Group>()
  readonly #tree = new FilterTree<Group>()
  /** Number of filters per account address. */
  readonly #byAddress = new Map<string, number>()
  #withoutAddress = 0

  /** @param slices - shared by all long-running deliveries */
  constructor(slices: TimeSlices) {
    this.#slices = slices
  }

  /** Number of different filters. */
  get filters(): number {
    return this.#byKey.size
  }

  /**
   * @param key - the same for equal filters
   * @param fromSequence - sequence number of the last delivery before the subscriber joined; it receives later ones
   */
  add(key: string, filter: LogFilter, subscriber: Subscriber, fromSequence: number): void {
    let group = this.#byKey.get(key)
    if (!group) {
      group = groupOf(filter)
      this.#byKey.set(key, group)
      this.#tree.add(group)
      this.#countAddresses(group, 1)
    }
    group.members.set(subscriber, fromSequence)
  }

  /** @returns the sequence number with which the subscriber was added; undefined when it was not */
  remove(key: string, subscriber: Subscriber): number | undefined {
    const group = this.#byKey.get(key)
    const fromSequence = group?.members.get(subscriber)
    if (!group?.members.delete(subscriber) || group.members.size > 0) return fromSequence
    this.#byKey.delete(key)
    this.#tree.remove(group)
    this.#countAddresses(group, -1)
    return fromSequence
  }

  /** Returns the account addresses whose logs are wanted, empty for all logs. Undefined when no logs are wanted. */
  logAddresses(maxAddresses: number): readonly string[] | undefined {
    if (this.#byKey.size === 0) return undefined
    return this.#withoutAddress > 0 || this.#byAddress.size > maxAddresses ? [] : [...this.#byAddress.keys()]
  }

  subscribers(): Subscriber[] {
    return [...this.#byKey.values()].flatMap(({ members }) => [...members.keys()])
  }

  /**
   * Delivers the logs of a block, or reports them as removed. Resolves after all deliveries. Other work runs in
   * between: a subscriber that leaves meanwhile receives no more logs.
   */
  async deliver({ logs, sequence }: Block, removed: boolean): Promise<void> {
    for (const entry of removed ? logs.toReversed() : logs) {
      if (this.#slices.isExhausted()) await this.#slices.next()
      const groups = this.#groupsFor(entry)
      if (groups.length === 0) continue
      const text = removed ? JSON.stringify({ ...entry.log, removed: true }) : entry.text
      for (const { members } of groups) {
        for (const [subscriber, fromSequence] of members) {
          if (fromSequence >= sequence) continue
          subscriber.deliver(text)
          if (this.#slices.isExhausted()) await this.#slices.next()
        }
      }
    }
  }

  #groupsFor({ log }: LogEntry): Group[] {
    const values = [log.address, ...log.topics].map((value) => value.toLowerCase())
    return this.#tree.find(values).filter((group) => matchesUnchecked(group, values))
  }

  #countAddresses({ addresses }: Group, change: 1 | -1): void {
    if (addresses.length === 0) this.#withoutAddress += change
    for (const address of addresses) {
      const count = (this.#byAddress.get(address) ?? 0) + change
      if (count > 0) this.#byAddress.set(address, count)
      else this.#byAddress.delete(address)
    }
  }
}

interface Group extends TreeFilter {
  /** Values of the unchecked positions, as sets because a filter may have a thousand values for each. */
  readonly alternatives: readonly ReadonlySet<string>[]
  /** Subscribers, each with the sequence number at which it joined. */
  readonly members: Map<Subscriber, number>
}

function groupOf(filter: LogFilter): Group {
  const { addresses, topics } = filter
  const unchecked = uncheckedPositions(filter)
  const alternatives = unchecked.map((position) => new Set([addresses, ...topics][position]))
  return { addresses, topics, unchecked, alternatives, members: new Map() }
}

function matchesUnchecked({ unchecked, alternatives }: Group, values: readonly string[]): boolean {
  for (let at = 0; at < unchecked.length; at += 1) {
    const value = values[unchecked[at] as number]
    if (value === undefined || alternatives[at]?.has(value) !== true) return false
  }
  return true
}
