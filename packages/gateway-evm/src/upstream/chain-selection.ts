import type { Logger } from 'pino'
import type { PooledUpstream } from './types.ts'

/** Determines the chain of a node from the chain ids that its upstreams report. */
export class ChainSelection {
  /** The upstreams that are not cordoned. */
  readonly #members: readonly PooledUpstream[]
  readonly #log: Logger | undefined
  /** Upstreams that were used before the list of the node changed, until one of them reports its chain. */
  #former: readonly PooledUpstream[] = []
  /** Those of them that have not been checked yet. */
  readonly #awaited = new Set<PooledUpstream>()
  /** The chain id before the list changed, until no upstream reports it. */
  #previousId: string | undefined
  #chainId: string | undefined

  /** @param previous - that of the node before its list changed */
  constructor(members: readonly PooledUpstream[], log: Logger | undefined, previous?: ChainSelection) {
    this.#members = members.filter(({ record }) => !record.isCordoned)
    this.#log = log
    if (previous) this.#continue(previous)
    this.update()
  }

  /** Chain id of the node, or the previous one until it is determined. */
  get chainId(): string | undefined {
    return this.#chainId ?? this.#previousId
  }

  /** Whether the chain id is determined. */
  get isKnown(): boolean {
    return this.#chainId !== undefined
  }

  /**
   * Whether calls can be sent at once: a responsive upstream was used before the list changed, or was identified
   * recently.
   *
   * @param since - time of `performance.now()`
   */
  isCurrent(since: number): boolean {
    return this.#members.some((member) => {
      const { isResponsive, chain } = member.upstream
      const isRecent = chain ? chain.at > since : this.#former.includes(member)
      return member.isInUse && isResponsive && isRecent
    })
  }

  /**
   * Compares the chain ids that the upstreams have reported, and classifies the upstreams.
   *
   * @returns whether the node is on another chain now
   */
  update(): boolean {
    const reported = this.#former.find(({ upstream }) => upstream.chain)?.upstream.chain
    if (reported) {
      this.#previousId = reported.id
      this.#former = []
    }
    if (!this.isKnown && this.#isAwaited()) {
      for (const member of this.#members) member.isChainUnknown = !this.#former.includes(member)
      return false
    }
    const before = this.#chainId
    this.#chainId = this.#winner(this.#members.flatMap(({ upstream }) => upstream.chain?.id ?? []))
    for (const member of this.#members) this.#classify(member)
    return before !== undefined && before !== this.#chainId
  }

  /** Records that the check of an upstream failed. The others then determine the chain until it reports. */
  recordFailure(member: PooledUpstream): void {
    this.#awaited.delete(member)
  }

  /** Whether an upstream that was used before will soon report its chain. An upstream with a rate limit is not checked. */
  #isAwaited(): boolean {
    return this.#former.some((member) => this.#awaited.has(member) && !member.upstream.rate.isPaused)
  }

  #continue(previous: ChainSelection): void {
    const used = previous.#former.length > 0 || !previous.isKnown ? previous.#usedMembers() : []
    this.#previousId = previous.chainId
    this.#former = this.#members.filter(({ record }) => at(record.address, used))
    for (const member of this.#former) this.#awaited.add(member)
    // With other options, for example another `rps`, the same URL is another upstream.
    for (const { record, upstream } of this.#members)
      upstream.chain ??= at(record.address, previous.#members)?.upstream.chain
  }

  #usedMembers(): readonly PooledUpstream[] {
    return this.#former.length > 0 ? this.#former : this.#members
  }

  /**
   * Returns the chain id that the node had before its list changed, while an upstream reports it. After that, it is the
   * chain id of most upstreams. On a tie, the present chain id wins, or else the first one.
   *
   * @param ids - the reported chain ids
   */
  #winner(ids: readonly string[]): string | undefined {
    if (ids.length === 0) return this.#chainId
    const previous = this.#previousId
    if (previous !== undefined && ids.includes(previous)) return previous
    this.#previousId = undefined
    const votes = new Map<string, number>()
    for (const id of ids) votes.set(id, (votes.get(id) ?? 0) + 1)
    const maxVotes = Math.max(...votes.values())
    const winners = ids.filter((id) => votes.get(id) === maxVotes)
    const before = this.#chainId
    return before !== undefined && winners.includes(before) ? before : winners[0]
  }

  #classify(member: PooledUpstream): void {
    const { upstream } = member
    const id = upstream.chain?.id
    member.isChainUnknown = id === undefined && this.isKnown
    if (id === undefined) return
    const isExpected = id === this.#chainId
    if (!isExpected && !member.isOnOtherChain) {
      const facts = { upstream: upstream.id, chain_id: id, expected: this.#chainId }
      this.#log?.error(facts, 'an upstream belongs to another chain and is not used')
    }
    upstream.hasReported = true
    member.isOnOtherChain = !isExpected
  }
}

function at(address: string, members: readonly PooledUpstream[]): PooledUpstream | undefined {
  return members.find(({ record }) => record.address === address)
}
