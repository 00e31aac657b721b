import { type ClientHttp2Stream, constants, type OutgoingHttpHeaders } from 'node:http2'
import { GrpcError, Status } from '@fairlead/grpc-transport/wire'
import { healthTimes, SteadyPool } from '@fairlead/gateway-core/upstream/steady-pool'
import type { PoolMember, PoolUpstream, UpstreamState } from '@fairlead/gateway-core/upstream/pool-member'
import type { Upstream } from '@fairlead/gateway-core/upstream/upstream'
import { UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'
import type { GrpcConnections } from './grpc-connections.ts'

/** A stream at one of the upstreams. */
export interface UpstreamStream {
  readonly stream: ClientHttp2Stream
  /** Texts to take out of what the upstream says. */
  readonly secrets: readonly string[]
}

type Member = PoolMember<GrpcConnections>

// The gateway reads no messages, and does not know how far an upstream is.
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

  /**
   * Opens a stream of HTTP/2 at the best upstream, or at the next one when that cannot be reached.
   *
   * @param headers - without those that open the upstream
   * @throws GrpcError UNAVAILABLE when none can be reached
   */
  async open(headers: OutgoingHttpHeaders): Promise<UpstreamStream> {
    await this.#pool.use()
    const tried: Member[] = []
    let failure: unknown
    for (let member = this.#pool.choose(tried); member; member = this.#pool.choose(tried)) {
      if (tried.length > 0) member.upstream.retries += 1
      tried.push(member)
      try {
        const opened = await this.#openAt(member.upstream, headers)
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

  async #openAt(upstream: Upstream<GrpcConnections>, headers: OutgoingHttpHeaders): Promise<UpstreamStream> {
    const began = performance.now()
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
      if (isAnswered || stream.rstCode === constants.NGHTTP2_CANCEL) return
      upstream.failed(new UpstreamError('broken', 'The node broke the call off.'), 'slow')
      this.#pool.askSoon()
    })
    return { stream, secrets: connection.url.secrets }
  }
}

function unconnected(): UpstreamError {
  return new UpstreamError('unconnected', 'The node cannot be reached.')
}

function isUnreachable(error: unknown): boolean {
  return error instanceof GrpcError && error.code === Status.UNAVAILABLE
}
