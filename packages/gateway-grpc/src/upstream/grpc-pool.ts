import { type ClientHttp2Stream, constants } from 'node:http2'
import { GrpcError, Status, type StatusCode } from '@fairlead/grpc-transport/wire'
import { type HealthSource, healthTimes, SteadyPool } from '@fairlead/gateway-core/upstream/steady-pool'
import type { PoolMember, PoolUpstream, UpstreamState } from '@fairlead/gateway-core/upstream/pool-member'
import { UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'
import type { GrpcConnections, StreamRequest } from './grpc-connections.ts'

type Member = PoolMember<GrpcConnections>

/** A stream to one of the upstreams. */
export interface UpstreamStream {
  readonly stream: ClientHttp2Stream
  readonly member: Member
  /** Strings to remove from what the upstream sends. */
  readonly secrets: readonly string[]
}

// The chain head of a gRPC upstream is unknown.
const toleratedLag = 0

/** The gRPC upstreams of a node as one: calls use the best upstream. */
export class GrpcPool {
  readonly #pool: SteadyPool<GrpcConnections>

  /**
   * @param upstreams - at least one
   * @param previous - pool that this one replaces
   */
  constructor(upstreams: readonly PoolUpstream<GrpcConnections>[], times = healthTimes, previous?: GrpcPool) {
    const source: HealthSource<GrpcConnections> = {
      rules: [({ upstream }, _, signal) => upstream.connection.ping(signal())],
      failureOf: unconnected,
      toleratedLag,
      times,
    }
    this.#pool = new SteadyPool('grpc', upstreams, source, previous && previous.#pool)
  }

  /** Whether several upstreams are in use. */
  get hasSeveral(): boolean {
    return this.#pool.members.filter(({ isInUse }) => isInUse).length > 1
  }

  /**
   * Opens an HTTP/2 stream to the best upstream, or to the next one when the best one cannot be reached or the tenant
   * uses its share of it.
   *
   * @param last - an upstream to try after all others
   * @throws GrpcError UNAVAILABLE when none can be reached, RESOURCE_EXHAUSTED when the tenant uses its share of those
   * that can
   */
  async open(request: StreamRequest, last?: Member): Promise<UpstreamStream> {
    await this.#pool.use()
    const tried: Member[] = []
    let failure: unknown
    let exhausted: unknown
    for (let member = this.#next(tried, last); member; member = this.#next(tried, last)) {
      if (tried.length > 0 || last !== undefined) member.upstream.retries += 1
      tried.push(member)
      try {
        const opened = await this.#openStream(member, request)
        if (failure !== undefined) this.#pool.moveTo(member)
        return opened
      } catch (error) {
        if (hasCode(error, Status.RESOURCE_EXHAUSTED)) {
          exhausted = error
          continue
        }
        if (!hasCode(error, Status.UNAVAILABLE)) throw error
        // resend: unreachable upstream
        failure ??= error
        member.upstream.recordFailure(unconnected(), 'short')
        this.#pool.checkSoon()
      }
    }
    throw (
      exhausted ??
      failure ??
      new GrpcError(
        Status.UNAVAILABLE,
        'No upstream of this node is available: all are cordoned or on another chain.',
      )
    )
  }

  /** States of the upstreams. */
  states(): readonly UpstreamState[] {
    return this.#pool.states()
  }

  /** Checks the health of the upstreams for a while, even when there is only one. */
  watch(): void {
    this.#pool.watch()
  }

  /** Whether any upstream is in use. */
  get isInUse(): boolean {
    return this.#pool.members.some(({ isInUse }) => isInUse)
  }

  /** The upstream that has the connections of an upstream of this or another pool; undefined when none has them. */
  find({ upstream: { connection } }: Member): Member | undefined {
    return this.#pool.members.find(({ upstream }) => upstream.connection === connection)
  }

  retire(): void {
    this.#pool.close()
  }

  close(): void {
    this.#pool.close()
  }

  #next(tried: readonly Member[], last: Member | undefined): Member | undefined {
    const others = last === undefined ? undefined : this.#pool.choose([last, ...tried])
    return others ?? this.#pool.choose(tried)
  }

  async #openStream(member: Member, request: StreamRequest): Promise<UpstreamStream> {
    const { upstream } = member
    const { connection } = upstream
    const beganAt = upstream.begin()
    // Without an upstream in service, a response shows that this one is healthy again.
    if (!this.#pool.hasResponsive()) upstream.breaker.probe(true)
    const stream = await connection.open(request).catch((error: unknown) => {
      upstream.end()
      throw error
    })
    const { session } = stream
    let hasResponded = false
    stream.once('response', () => {
      hasResponded = true
      upstream.recordResponse()
      upstream.hasReported = true
      upstream.recordDuration('long', beganAt)
    })
    stream.once('close', () => {
      upstream.end()
      // The streams of a lost connection are cancelled as well.
      const isLost = session?.destroyed === true
      if (stream.rstCode === constants.NGHTTP2_CANCEL && !isLost) return upstream.breaker.cancelProbe()
      if (hasResponded) {
        // A broken stream may be the first sign of more failures.
        if (isLost || stream.rstCode !== constants.NGHTTP2_NO_ERROR) this.#pool.checkSoon()
        return
      }
      upstream.recordFailure(new UpstreamError('reset', 'The upstream ended the call unexpectedly.'), 'long')
      this.#pool.checkSoon()
    })
    return { stream, member, secrets: connection.url.secrets }
  }
}

function unconnected(): UpstreamError {
  return new UpstreamError('connect_failed', 'The upstream is unreachable.')
}

function hasCode(error: unknown, code: StatusCode): boolean {
  return error instanceof GrpcError && error.code === code
}
