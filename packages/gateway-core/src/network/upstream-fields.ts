import { headerLines } from '@fairlead/http1'
import type { TraceSpan } from '../telemetry/current-trace.ts'
import { loopField } from './cdn-loop.ts'

/** What the gateway adds to a request to an upstream. */
export interface UpstreamFieldValues {
  /** Value of `Authorization`, from the URL or the JWT secret of the upstream. */
  readonly authorization?: string | undefined
  /** Entry of this deployment in `CDN-Loop`. */
  readonly loopEntry?: string | undefined
  /** Services that the client's request has passed through, as a value of `CDN-Loop`. */
  readonly passedThrough?: string | undefined
  /** Span of the client's request. */
  readonly trace?: Pick<TraceSpan, 'traceparent'> | undefined
}

/** Returns the header fields that the gateway adds to a request to an upstream. */
export function upstreamFields({
  authorization,
  loopEntry,
  passedThrough,
  trace,
}: UpstreamFieldValues): Record<string, string> {
  return {
    ...(authorization !== undefined && { authorization }),
    ...(loopEntry !== undefined && {
      [loopField]: passedThrough === undefined ? loopEntry : `${passedThrough}, ${loopEntry}`,
    }),
    ...(trace && { traceparent: trace.traceparent }),
  }
}

/** The header fields of requests to one upstream, as lines. Nearly all requests have the same, which are created once. */
export class UpstreamFieldLines {
  readonly #own: Readonly<Record<string, string>>
  readonly #loopEntry: string | undefined
  #authorization: string | undefined
  #lines: string

  /**
   * @param own - other fields of each request
   * @param authorization - value of `Authorization` of requests without another one
   */
  constructor(
    own: Readonly<Record<string, string>>,
    authorization: string | undefined,
    loopEntry: string | undefined,
  ) {
    this.#own = own
    this.#loopEntry = loopEntry
    this.#authorization = authorization
    this.#lines = this.#linesWith({})
  }

  /** @param authorization - value of `Authorization`; unchanged since the previous request when undefined */
  of(
    trace: TraceSpan | undefined,
    passedThrough: string | undefined,
    authorization: string | undefined,
  ): string {
    if (authorization !== undefined && authorization !== this.#authorization) {
      this.#authorization = authorization
      this.#lines = this.#linesWith({})
    }
    if (trace === undefined && passedThrough === undefined) return this.#lines
    return this.#linesWith({ trace, passedThrough })
  }

  #linesWith(values: Pick<UpstreamFieldValues, 'trace' | 'passedThrough'>): string {
    const authorization = this.#authorization
    return headerLines({
      ...this.#own,
      ...upstreamFields({ authorization, loopEntry: this.#loopEntry, ...values }),
    })
  }
}
