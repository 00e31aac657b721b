import { collectBody } from '@fairlead/gateway-core/http/collect-body'
import type { CancellationSignal } from '@fairlead/http1'
import type { MemoryBudget } from '@fairlead/gateway-core/memory/memory-budget'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import type {
  BufferedResponse,
  RestCall,
  RestUpstream,
  StreamedResponse,
} from '@fairlead/gateway-core/rest/rest-call'
import { usedAddresses } from '@fairlead/gateway-core/grants/parse-upstreams'
import { RestError } from '@fairlead/gateway-core/rest/rest-error'
import { unreachable } from '@fairlead/gateway-core/rest/rest-upstream'
import { RestUpstreams } from '@fairlead/gateway-core/rest/rest-upstreams'
import type { JettonNode, JettonNodeAnswer, JettonNodeRequest } from './types.ts'
import { JettonError } from '../jetton-error.ts'
import { parseJson } from '@fairlead/gateway-core/json'

/** What the jetton nodes are made with. */
export interface JettonUpstreamOptions {
  /** Opens the connections to a node; throws when the address is not one. */
  readonly open: (address: string) => RestUpstream
  /** HTTP address of the embedded chain, for nodes whose upstream is `devnet`. */
  readonly embedded: string | undefined
  /** For the responses that adapters hold whole; any number of bytes when it is left out. */
  readonly memory?: ResponseMemory | undefined
}

type ResponseMemory = Pick<MemoryBudget, 'take' | 'release'>

/** The jetton nodes behind all hosted nodes, connected to when first needed. */
export interface JettonUpstreams {
  /** @throws RestError with status 503 when the hosted node has no usable upstream for this protocol */
  of(grant: Grant): NodeOfGrant
  /** Asks the embedded chain, when there is one, for its newest block; rejects when it does not answer. */
  embeddedAnswer(signal: CancellationSignal): Promise<void>
  close(): Promise<void>
}

/** Makes the set of all jetton nodes: one set of connections for each address. */
export function createJettonUpstreams({ open, embedded, memory }: JettonUpstreamOptions): JettonUpstreams {
  const upstreams = new RestUpstreams(open)
  const at = (configured: string | undefined): RestUpstream => {
    const [word] = usedAddresses(configured)
    const address = word === 'devnet' ? embedded : word
    if (address === undefined) throw new RestError(503, 'This node has no upstream for jetton.')
    return upstreams.at(address)
  }
  // What is known of a node is kept by it.
  const nodes = new Map<string, NodeOfGrant>()
  const ofGrant = ({ upstreams: { jetton, 'jetton-v3': index = jetton } }: Grant) => {
    const addresses = JSON.stringify([jetton, index])
    const known = nodes.get(addresses)
    if (known) return known
    const held = memory && { memory, owner: `jetton ${addresses}` }
    const node = new NodeOfGrant({ v2: () => at(jetton), v3: () => at(index) }, held)
    nodes.set(addresses, node)
    return node
  }
  return {
    of: ofGrant,
    embeddedAnswer: async (signal) => {
      if (embedded === undefined) return
      const node = new NodeOfGrant({ v2: () => at(embedded), v3: () => at(embedded) })
      const { status } = await node.ask({ family: 'v2', method: 'GET', path: '/getMasterchainInfo', signal })
      if (status !== 200) throw new Error('The embedded chain does not answer.')
    },
    close: () => upstreams.close(),
  }
}

// What an adapter reads is a page of an index at most.
const maxHeldBytes = 16_777_216

/** Where the bytes of held responses are counted, and for whom. */
interface HeldResponses {
  readonly memory: ResponseMemory
  /** The upstreams of a hosted node: one of them gets a share of the memory. */
  readonly owner: string
}

/** The node behind one hosted node, and the index over it. */
export class NodeOfGrant implements JettonNode {
  readonly #upstreams: Readonly<Record<'v2' | 'v3', () => RestUpstream>>
  readonly #held: HeldResponses | undefined

  constructor(upstreams: Readonly<Record<'v2' | 'v3', () => RestUpstream>>, held?: HeldResponses) {
    this.#upstreams = upstreams
    this.#held = held
  }

  /** As {@link RestUpstream.request}; the target begins with `/api`. */
  async forward(family: 'v2' | 'v3', call: RestCall): Promise<StreamedResponse | BufferedResponse> {
    return this.#upstreams[family]().request(call)
  }

  async ask({ family, method, path, query, body, signal }: JettonNodeRequest): Promise<JettonNodeAnswer> {
    const answer = await this.forward(family, {
      method,
      target: `/api/${family}${path}${queryText(query)}`,
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
      signal,
    })
    const content =
      'bytes' in answer
        ? parseJson(Buffer.from(answer.bytes).toString('utf8'))
        : await parsedWhole(answer, signal, this.#held)
    if (answer.status === 429) throw busy(answer, content)
    return { status: answer.status, body: content }
  }
}

// No adapter can do anything about it, and when to come again has to reach the client.
function busy({ headers }: Pick<BufferedResponse, 'headers'>, content: unknown): JettonError {
  const { error } = content as { readonly error: string }
  const { 'retry-after': retryAfter } = headers
  return new JettonError(429, error, retryAfter === undefined ? {} : { 'retry-after': retryAfter })
}

function queryText(query: JettonNodeRequest['query'] = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((item) => [name, String(item)]),
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`
}

async function parsedWhole(
  { body }: StreamedResponse,
  signal: CancellationSignal,
  held: HeldResponses | undefined,
): Promise<unknown> {
  let counted = 0
  try {
    const bytes = await collectBody(body, (length) => {
      if (counted + length > maxHeldBytes)
        throw new RestError(502, 'The node answered more than can be held.')
      if (held && !held.memory.take(length, held.owner)) {
        throw new RestError(503, 'The service holds too many responses at the moment.')
      }
      counted += length
    })
    return parseJson(bytes.toString('utf8'))
  } catch (error) {
    throw error instanceof RestError ? error : unreachable(error, signal)
  } finally {
    held?.memory.release(counted, held.owner)
  }
}
