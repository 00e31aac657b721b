import { type ClientHttp2Stream, constants, type OutgoingHttpHeaders } from 'node:http2'
import { GrpcError, Status } from '@fairlead/grpc-transport/wire'
import { healthTimes, SteadyPool } from '@fairlead/gateway-core/upstream/steady-pool'
import type { PoolMember, PoolUpstream, UpstreamState } from '@fairlead/gateway-core/upstream/pool-member'
import { UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'
import type { GrpcConnections } from './grpc-connections.ts'

type Member = PoolMember<GrpcConnections>

/** A stream at one of the upstreams. */
export interface UpstreamStream {
  readonly stream: ClientHttp2Stream
  readonly member: Member
  /** Texts to take out of what the upstream says. */
  readonly secrets: readonly string[]
}

// The gateway does not know how far an upstream is.
const toleratedLag = 0

/** The gRPC upstreams of a node, called as one: calls stay at the best of them. */
export class GrpcPool {
  readonly #pool: SteadyPool<GrpcConnections>

  /** @param upstreams - at least one */
  constructor(upstreams: readonly PoolUpstream<GrpcConnections>[], times = healthTimes) {
    this.#pool = new SteadyPool('grpc', upstreams, {
      readHealth: async (upstream, signal) => {
        await upstream.ping(signal)
        return {}
      },
      failureOf: unconnected,
      toleratedLag,
      times,
    })
  }

  /** Whether there is another upstream in use. */
  get hasSeveral(): boolean {
    return this.#pool.members.filter(({ isInUse }) => isInUse).length > 1
  }

  /**
   * Opens a stream of HTTP/2 at the best upstream, or at the next one when that cannot be reached.
   *
   * @param headers - without those that open the upstream
   * @param last - an upstream to be tried after all others
   * @throws GrpcError UNAVAILABLE when none can be reached
   */
  async open(headers: OutgoingHttpHeaders, last?: Member): Promise<UpstreamStream> {
    await this.#pool.use()
    const tried: Member[] = []
    let failure: unknown
    for (let member = this.#next(tried, last); member; member = this.#next(tried, last)) {
      if (tried.length > 0 || last !== undefined) member.upstream.retries += 1
      tried.push(member)
      try {
        const opened = await this.#openAt(member, headers)
        if (failure !== undefined) this.#pool.moveTo(member)
        return opened
      } catch (error) {
        if (!isUnreachable(error)) throw error
        failure ??= error
        member.upstream.failed(unconnected(), 'quick')
        this.#pool.askSoon()
      }
    }
    throw failure ?? new GrpcError(Status.UNAVAILABLE, 'No upstream of this node is in use.')
  }

  /** What is known of the upstreams. */
  states(): readonly UpstreamState[] {
    return this.#pool.states()
  }

  /** Has the upstreams asked whether they are there for a while, also a single one. */
  watch(): void {
    this.#pool.watch()
  }

  close(): void {
    this.#pool.close()
  }

  #next(tried: readonly Member[], last: Member | undefined): Member | undefined {
    const others = last === undefined ? undefined : this.#pool.choose([last, ...tried])
    return others ?? this.#pool.choose(tried)
  }

  async #openAt(member: Member, headers: OutgoingHttpHeaders): Promise<UpstreamStream> {
    const began = performance.now()
    const { upstream } = member
    const { connection } = upstream
    upstream.calls += 1
    const stream = await connection.open(headers)
    let isAnswered = false
    upstream.callsInFlight += 1
    stream.once('response', () => {
      isAnswered = true
      upstream.answered()
      upstream.isKnown = true
      upstream.slow.add(performance.now() - began)
    })
    stream.once('close', () => {
      upstream.callsInFlight -= 1
      if (stream.rstCode === constants.NGHTTP2_CANCEL) return
      if (isAnswered) {
        // A stream that breaks off may be the first sign of more.
        if (stream.rstCode !== constants.NGHTTP2_NO_ERROR) this.#pool.askSoon()
        return
      }
      upstream.failed(new UpstreamError('broken', 'The node broke the call off.'), 'slow')
      this.#pool.askSoon()
    })
    return { stream, member, secrets: connection.url.secrets }
  }
}

function unconnected(): UpstreamError {
  return new UpstreamError('unconnected', 'The node cannot be reached.')
}

function isUnreachable(error: unknown): boolean {
  return error instanceof GrpcError && error.code === Status.UNAVAILABLE
}
