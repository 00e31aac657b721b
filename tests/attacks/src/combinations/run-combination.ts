import { type Attacker, inTurn } from '../attacker/attacker.ts'
import { applications, type ApplicationRequest, type RequestKind, secretsOf } from './applications.ts'
import type { Combination, Protocol, Repetition, Withholding } from './combination.ts'
import { type Lane, openLane, type Wire } from './lane.ts'

/** The tools of one combination. */
interface Repeating {
  readonly withheld: Withholding
  /** Returns the next request. */
  next(kind: RequestKind): ApplicationRequest
}

/** How often something is repeated, and over how many connections. */
interface Plan {
  readonly perSecond: number
  readonly lanes: Readonly<Record<Wire, number>>
  /** Repeats it once on a connection that is open and has room. */
  unit(lane: Lane, repeating: Repeating): void
}

const everywhere = (count: number) => ({ http1: count, http2: count, websocket: Math.min(count, 250) })
const pieceBytes = 16 << 10
const piece = Buffer.alloc(pieceBytes, ' ')
const maxBodyBytes = 4 << 20
const padding = Array.from({ length: 90 }, (_, at) => [`x-padding-${at}`, 'y'.repeat(100)] as const)
const requestsOfSubscriber = 60
const heldMs = 100

const begun = new WeakMap<Lane, { readonly id: number; sent: number }>()
const subscriptions = new WeakMap<Lane, number>()

const plans: Readonly<Record<Exclude<Repetition, 'handshake'>, Plan>> = {
  // Opens a request on each stream or connection, and leaves it open.
  open: {
    perSecond: 2_000,
    lanes: { http1: 1_000, http2: 20, websocket: 250 },
    unit: (lane, { withheld, next }) => {
      const request = next('message')
      if (withheld === 'end') beginUnfinished(lane, request)
      else sendRequest(lane, request, withheld)
    },
  },
  byte: {
    perSecond: 500,
    lanes: everywhere(16),
    unit: (lane, { withheld, next }) => {
      const state = begun.get(lane) ?? { id: lane.begin(next('message')), sent: 0 }
      begun.set(lane, state)
      if (state.sent < maxBodyBytes) {
        state.sent += pieceBytes
        return lane.send(state.id, piece)
      }
      if (withheld === 'end') return undefined
      begun.delete(lane)
      return lane.end(state.id)
    },
  },
  message: {
    perSecond: 1_000,
    lanes: { http1: 500, http2: 16, websocket: 100 },
    unit: (lane, { withheld, next }) => sendRequest(lane, next('message'), withheld),
  },
  item: {
    perSecond: 5,
    lanes: everywhere(4),
    unit: (lane, { withheld, next }) => sendRequest(lane, next('item'), withheld),
  },
  header: {
    perSecond: 1_000,
    lanes: everywhere(100),
    unit: (lane, { withheld, next }) => {
      if (withheld !== 'end') return sendRequest(lane, withPadding(next('message')), withheld)
      const state = begun.get(lane) ?? { id: lane.beginHeaders(next('message')), sent: 0 }
      begun.set(lane, state)
      return lane.addHeader(state.id, 'x-padding', 'y'.repeat(100))
    },
  },
  reset: {
    perSecond: 2_000,
    lanes: { http1: 100, http2: 16, websocket: 100 },
    unit: (lane, { withheld, next }) => {
      const request = next('message')
      const id = lane.begin(request)
      if (request.body && withheld !== 'end') sendAll(lane, id, request.body)
      lane.reset(id)
    },
  },
  subscription: {
    perSecond: 500,
    lanes: { http1: 200, http2: 16, websocket: 60 },
    unit: (lane, { withheld, next }) => {
      const count = subscriptions.get(lane) ?? 0
      if (count === requestsOfSubscriber) return
      subscriptions.set(lane, count + 1)
      sendRequest(lane, next('subscription'), withheld)
    },
  },
  credential: {
    perSecond: 500,
    lanes: everywhere(60),
    unit: (lane, { withheld, next }) => sendRequest(lane, next('message'), withheld),
  },
}

/** Runs a combination until the process ends. */
export function runCombination(attacker: Attacker, combination: Combination): void {
  const { protocol, repeated, withheld } = combination
  const { target } = attacker
  const wire = wireOf(combination)
  let number = 0
  const nextSecrets = () => {
    number += 1
    // One credential, unless credentials are what is repeated.
    const index = repeated === 'credential' || withheld === 'credential' ? number : 0
    return secretsOf(target, index, withheld !== 'credential')
  }
  const next = (kind: RequestKind) => applications[protocol](kind, nextSecrets(), target, number)
  const open = () =>
    openLane(attacker, wire, {
      reads: withheld !== 'read',
      hasWindow: withheld !== 'window',
      answers: withheld !== 'answer',
      authority: protocol === 'grpc' ? target.grpcAuthority : target.authority,
      path: next('message').path,
    })
  if (repeated === 'handshake') return repeatHandshakes(attacker, combination, open)
  const { perSecond, lanes, unit } = plans[repeated]
  const nextLane = inTurn(attacker.hold(lanes[wire], open))
  return attacker.repeat(perSecond, () => {
    const lane = nextLane()
    const isContinued = lane !== undefined && begun.has(lane)
    if (lane?.isWritable === true && (lane.hasRoom || isContinued)) unit(lane, { withheld, next })
  })
}

function repeatHandshakes(attacker: Attacker, { protocol, withheld }: Combination, open: () => Lane): void {
  attacker.repeat(300, () => {
    if (withheld === 'end') return beginHandshake(attacker, protocol)
    const lane = open()
    setTimeout(() => lane.close(), heldMs)
    return undefined
  })
}

/** Sends the first bytes of a connection, and no more. */
function beginHandshake(attacker: Attacker, protocol: Protocol): void {
  const connection = attacker.connect({ protocol: isHttp2(protocol) ? 'h2' : 'http/1.1' })
  const first = isHttp2(protocol)
    ? 'PRI * HTTP/2.0\r\n\r\nS'
    : `GET /ws/x HTTP/1.1\r\nhost: ${attacker.target.authority}\r\nupg`
  void connection.opened.then(() => connection.write(first))
}

function isHttp2(protocol: Protocol): boolean {
  return protocol === 'http2' || protocol === 'grpc'
}

/** HTTP/1.1 where a protocol allows it; HTTP/2 where something is withheld that only HTTP/2 has. */
function wireOf({ protocol, repeated, withheld }: Combination): Wire {
  // The headers of a WebSocket are those of its handshake.
  if (protocol === 'websocket') return repeated === 'header' ? 'http1' : 'websocket'
  return isHttp2(protocol) || withheld === 'window' || withheld === 'answer' ? 'http2' : 'http1'
}

/** Sends a request, without its last byte where the end is withheld. */
function sendRequest(lane: Lane, request: ApplicationRequest, withheld: Withholding): void {
  if (withheld === 'end') {
    const id = beginUnfinished(lane, request)
    if (request.body) lane.send(id, request.body.subarray(0, -1))
    return
  }
  const id = lane.begin(request)
  if (request.body) sendAll(lane, id, request.body)
}

/** Begins a request that has no end: of its body, or of its headers where it has none. */
function beginUnfinished(lane: Lane, request: ApplicationRequest): number {
  return request.body === undefined ? lane.beginHeaders(request) : lane.begin(request)
}

function sendAll(lane: Lane, id: number, body: Buffer): void {
  lane.send(id, body)
  lane.end(id)
}

function withPadding(request: ApplicationRequest): ApplicationRequest {
  return { ...request, fields: { ...request.fields, ...Object.fromEntries(padding) } }
}
