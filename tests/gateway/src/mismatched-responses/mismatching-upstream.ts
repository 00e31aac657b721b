import type { Socket } from 'node:net'
import { jsonMembers, jsonParts } from '@fairlead/gateway-core/json-rpc/json-parts'
import { type ScriptedUpstream, startScriptedUpstream } from '@fairlead/http1/testing/scripted-upstream'
import type { FaultPlan } from './fault-plan.ts'
import { numberOf, resultOf } from './numbered-calls.ts'
import type { Body, OpenItem, OpenRequest, ResponseForm } from './response-faults.ts'

const headNumber = '0x3e8'
const hash = (digit: string) => `0x${digit.repeat(64)}`
const ownResults: Readonly<Record<string, unknown>> = {
  eth_chainId: '0x1f90',
  eth_getBlockByNumber: { number: headNumber, hash: hash('b'), parentHash: hash('a') },
}

/** Starts an upstream over raw sockets that responds to every numbered call, and to some of them as its plan requires. */
export function mismatchingUpstream(plan: FaultPlan): Promise<ScriptedUpstream> {
  const upstream = new MismatchingUpstream(plan)
  return startScriptedUpstream(({ socket, body }) => upstream.receive(socket, body))
}

/** The requests on a connection that have no response yet. */
interface OpenConnection {
  readonly socket: Socket
  readonly requests: OpenRequest[]
  /** Bytes that precede the next response. */
  surplus: string
  isHeld: boolean
}

class MismatchingUpstream {
  readonly #plan: FaultPlan
  readonly #connections = new Map<Socket, OpenConnection>()
  /** The latest requests that have received their response: single ones and batches. */
  readonly #previous = new Map<boolean, OpenRequest>()
  #isScheduled = false

  constructor(plan: FaultPlan) {
    this.#plan = plan
  }

  /** Responds in the next tick, so that all requests of this one are known to the fault. */
  receive(socket: Socket, body: string): void {
    const connection = this.#connections.get(socket) ?? this.#add(socket)
    connection.isHeld = false
    connection.requests.push(this.#read(body))
    if (!this.#isScheduled) setImmediate(() => this.#respond())
    this.#isScheduled = true
  }

  #add(socket: Socket): OpenConnection {
    const connection = { socket, requests: [], surplus: '', isHeld: false }
    this.#connections.set(socket, connection)
    socket.on('close', () => {
      this.#connections.delete(socket)
      this.#plan.onSurplusEnd(connection)
    })
    return connection
  }

  #read(body: string): OpenRequest {
    const isBatch = body.startsWith('[')
    const items = (isBatch ? jsonParts(body) : [body]).map((text) => this.#readItem(text))
    const texts = items.map(({ text }) => text)
    return { isBatch, items, text: isBatch ? `[${texts.join(',')}]` : texts.join('') }
  }

  #readItem(text: string): OpenItem {
    const call = JSON.parse(text) as { readonly method: string; readonly params: readonly unknown[] }
    const id = jsonMembers(text).get('id') ?? 'null'
    const number = numberOf(call)
    if (number !== undefined) this.#plan.received.add(number)
    const result = number === undefined ? (ownResults[call.method] ?? null) : resultOf(call)
    const outcome = `"result":${JSON.stringify(result)}`
    return { id, number, outcome, text: this.#write(id, outcome) }
  }

  readonly #write = (id: string | undefined, outcome: string): string => {
    const member = id === undefined ? [] : [`"id":${id}`]
    const members = this.#plan.form.isIdLast ? [outcome, ...member] : [...member, outcome]
    return `{"jsonrpc":"2.0",${members.join(',')}}`
  }

  #respond(): void {
    this.#isScheduled = false
    for (const connection of this.#connections.values()) {
      while (connection.requests.length > 0 && !connection.isHeld && connection.socket.writable) {
        this.#respondToFirst(connection)
      }
    }
  }

  #respondToFirst(connection: OpenConnection): void {
    const { socket, requests } = connection
    const [request, next] = requests as [OpenRequest, OpenRequest?]
    const { isBatch } = request
    const faulty = this.#faultyResponse(connection, request, next)
    if (faulty?.isHeld) {
      connection.isHeld = true
      return
    }
    requests.splice(0, faulty?.omitsNext ? 2 : 1)
    const { nextTick = [], beforeNext = [] } = faulty ?? {}
    const bodies: readonly Body[] = faulty?.bodies ?? [request]
    const bytes = connection.surplus + this.#frame(bodies)
    this.#plan.onSurplusEnd(connection)
    connection.surplus = this.#frame(beforeNext)
    if (connection.surplus !== '') this.#plan.onSurplus(connection)
    const cut = bodies.find(({ isCut }) => isCut)
    if (cut) socket.end(bytes.slice(0, bytes.length - cut.text.length / 2), 'latin1')
    else socket.write(bytes, 'latin1')
    if (nextTick.length > 0) setImmediate(() => socket.write(this.#frame(nextTick), 'latin1'))
    if (!faulty && request.items.some(({ number }) => number !== undefined))
      this.#previous.set(isBatch, request)
  }

  #faultyResponse(connection: OpenConnection, request: OpenRequest, next: OpenRequest | undefined) {
    const item = this.#plan.targetIn(request.items)
    if (!item) return undefined
    const others = [...this.#connections.values()].filter((other) => other !== connection)
    const faulty = this.#plan.fault.respond({
      request,
      item,
      openRequests: connection.requests.length,
      next,
      concurrent: others.flatMap(({ requests }) => requests).at(0),
      previous: this.#previous.get(request.isBatch),
      write: this.#write,
    })
    if (faulty) this.#plan.onFault(item, faulty)
    return faulty
  }

  #frame(bodies: readonly Body[]): string {
    return bodies.map(({ text, status = 200 }) => framed(text, status, this.#plan.form)).join('')
  }
}

function framed(text: string, status: number, { isChunked }: ResponseForm): string {
  const head = `HTTP/1.1 ${status} ${status === 200 ? 'OK' : 'Bad Request'}\r\ncontent-type: application/json\r\n`
  if (!isChunked) return `${head}content-length: ${text.length}\r\n\r\n${text}`
  const middle = Math.ceil(text.length / 3)
  const chunks = [text.slice(0, middle), text.slice(middle)].filter((chunk) => chunk !== '')
  const lines = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`)
  return `${head}transfer-encoding: chunked\r\n\r\n${lines.join('')}0\r\n\r\n`
}
