import type { BufferedResponse, RestUpstream, StreamedResponse } from '@fairlead/gateway-core/rest/rest-call'
import { RestError } from '@fairlead/gateway-core/rest/rest-error'
import type { ResponseCache } from '../cache/response-cache.ts'
import type { BeaconCall, BeaconNodes } from './types.ts'
import { TeeStream } from '../cache/tee-stream.ts'
import { lasts, cacheRuleOf, mayLast } from '../cache/cacheable-response.ts'
import { isRepeatable, isFailure, mayFailOver } from './idempotency.ts'
import type { WatchedNode, WatchedNodes } from './watched-nodes.ts'

type Answer = StreamedResponse | BufferedResponse

/** The beacon nodes behind one hosted node. */
export class BeaconNodeGroup implements BeaconNodes {
  readonly #name: string
  readonly #nodes: WatchedNodes
  readonly #cache: ResponseCache

  /**
   * @param name - the same for two groups only when the same nodes are in both
   * @param nodes - the nodes and what is known of their health
   * @param cache - shared with other groups
   */
  constructor(name: string, nodes: WatchedNodes, cache: ResponseCache) {
    this.#name = name
    this.#nodes = nodes
    this.#cache = cache
  }

  async forward(call: BeaconCall): Promise<Answer> {
    const rule = cacheRuleOf(call)
    if (!rule) return this.#ask(call)
    const key = `${this.#name}\n${JSON.stringify(call.headers)}\n${call.target}`
    const known = this.#cache.find(key)
    if (known) return known
    const answer = await this.#ask(call)
    if (!('body' in answer) || !mayLast(answer, rule)) return answer
    const { status, headers } = answer
    const body = new TeeStream(answer.body, this.#cache, (bytes) => {
      if (lasts(headers, bytes, rule)) this.#cache.keep(key, { status, headers, bytes }, rule.lifeMs)
    })
    return { status, headers, body }
  }

  async ranked(): Promise<readonly RestUpstream[]> {
    return (await this.#nodes.ranked()).map(({ upstream }) => upstream)
  }

  async #ask(call: BeaconCall): Promise<Answer> {
    const [first, second] = (await this.#nodes.ranked()) as [WatchedNode, WatchedNode?]
    try {
      const answer = await first.upstream.request(call)
      if (!isFailure(answer)) return answer
      this.#nodes.suspect()
      if (!second || second.isFailing || !isRepeatable(call)) return answer
    } catch (error) {
      if (call.signal.aborted || !(error instanceof RestError)) throw error
      this.#blame(first, error)
      if (!second || !mayFailOver(call, error)) throw error
    }
    return this.#askAgain(call, second)
  }

  async #askAgain(call: BeaconCall, node: WatchedNode): Promise<Answer> {
    try {
      return await node.upstream.request(call)
    } catch (error) {
      if (!call.signal.aborted && error instanceof RestError) this.#blame(node, error)
      throw error
    }
  }

  #blame(node: WatchedNode, { status }: RestError): void {
    // A slow answer may be the call's own doing, and only the node's health can tell.
    if (status === 504) this.#nodes.suspect()
    else this.#nodes.failed(node)
  }
}
