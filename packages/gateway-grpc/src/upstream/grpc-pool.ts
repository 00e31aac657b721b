import { type ClientHttp2Stream, constants, type OutgoingHttpHeaders } from 'node:http2'
import { GrpcError, Status } from '@fairlead/grpc-transport/wire'
import type { UpstreamRecord } from '@fairlead/gateway-core/grants/parse-upstreams'
import { HealthRounds, type RoundTimes } from '@fairlead/gateway-core/upstream/health-rounds'
import { selectSteadily } from '@fairlead/gateway-core/upstream/select-upstream'
import { PoolMember, type UpstreamState } from '@fairlead/gateway-core/upstream/upstream'
import { UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'
import type { GrpcConnections } from './grpc-connections.ts'

/** A stream at one of the upstreams. */
export interface UpstreamStream {
  readonly stream: ClientHttp2Stream
  /** Texts to take out of what the upstream says. */
  readonly secrets: readonly string[]
}

/** An upstream of a pool. */
export interface GrpcPoolUpstream {
  readonly upstream: GrpcConnections
  readonly record: UpstreamRecord
}

/** The times of the service. */
export const healthTimes: RoundTimes & { readonly checkTimeoutMs: number } = {
  intervalMs: 6_000,
  checkTimeoutMs: 3_000,
  firstRoundMs: 1_000,
  idleMs: 60_000,
}

type Member = PoolMember<GrpcConnections>

/** The gRPC upstreams of a node, called as one: calls stay at the best of them. A single one is not asked whether it is there. */
export class GrpcPool {
  readonly #members: readonly Member[]
  readonly #times: typeof healthTimes
  readonly #rounds: HealthRounds<Member>
  #present: Member | undefined

  /** @param upstreams - at least one */
  constructor(label: string, upstreams: readonly GrpcPoolUpstream[], times = healthTimes) {
    this.#members = upstreams.map(
      ({ upstream, record }, position) => new PoolMember(`${label}/${position}`, upstream, record),
    )
    this.#times = times
    this.#rounds = new HealthRounds(this.#members, times, { ask: (member) => this.#check(member) })
  }

  /**
   * Opens a stream of HTTP/2 at the best upstream, or at the next one when that cannot be reached.
   *
   * @param headers - without those that open the upstream
   * @throws GrpcError UNAVAILABLE when none can be reached
   */
  async open(headers: OutgoingHttpHeaders): Promise<UpstreamStream> {
    if (this.#members.length > 1) await this.#rounds.use()
    const tried: Member[] = []
    let failure: unknown
    for (let member = this.#choose(tried); member; member = this.#choose(tried)) {
      if (tried.length > 0) member.retries += 1
      tried.push(member)
      try {
        return await this.#openAt(member, headers)
      } catch (error) {
        if (!isUnreachable(error)) throw error
        failure ??= error
        member.failed(new UpstreamError('unconnected', 'The node cannot be reached.'), 'quick')
        this.#rounds.askSoon()
      }
    }
    throw failure ?? new GrpcError(Status.UNAVAILABLE, 'No upstream of this node is in use.')
  }

  /** What is known of the upstreams. */
  states(): readonly UpstreamState[] {
    return this.#members.map(({ state }) => state)
  }

  /** Has the upstreams asked whether they are there for a while, also a single one. */
  watch(): void {
    void this.#rounds.use()
  }

  close(): void {
    this.#rounds.stop()
  }

  async #openAt(member: Member, headers: OutgoingHttpHeaders): Promise<UpstreamStream> {
    const began = performance.now()
    member.calls += 1
    member.callsInFlight += 1
    const { upstream } = member
    try {
      const stream = await upstream.open(headers)
      let isAnswered = false
      stream.once('response', () => {
        isAnswered = true
        member.answered()
        member.chain = 'right'
        member.slow.add(performance.now() - began)
      })
      stream.once('close', () => {
        member.callsInFlight -= 1
        if (isAnswered || stream.rstCode === constants.NGHTTP2_CANCEL) return
        member.failed(new UpstreamError('broken', 'The node broke the call off.'), 'slow')
        this.#rounds.askSoon()
      })
      return { stream, secrets: upstream.url.secrets }
    } catch (error) {
      member.callsInFlight -= 1
      throw error
    }
  }

  #choose(tried: readonly Member[]): Member | undefined {
    const left = this.#members.filter((member) => member.isInUse && !tried.includes(member))
    const best = selectSteadily(left, this.#present)
    // The next calls go where this one does.
    this.#present = best ?? this.#present
    return best
  }

  async #check(member: Member): Promise<void> {
    const isJudged = member.breaker.probe()
    try {
      await member.upstream.ping(AbortSignal.timeout(this.#times.checkTimeoutMs))
      member.chain = 'right'
      if (isJudged) member.breaker.succeed()
    } catch {
      if (isJudged) member.noteFailedCheck(new UpstreamError('unconnected', 'The node cannot be reached.'))
    }
  }
}

function isUnreachable(error: unknown): boolean {
  return error instanceof GrpcError && error.code === Status.UNAVAILABLE
}
