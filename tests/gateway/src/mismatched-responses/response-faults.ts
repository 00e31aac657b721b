/** A request to the upstream that has no response yet. */
export interface OpenRequest {
  readonly isBatch: boolean
  readonly items: readonly OpenItem[]
  /** Body of its response. */
  text: string
}

/** One call of a request. */
export interface OpenItem {
  /** Id as JSON. */
  readonly id: string
  /** Number of the call; undefined for one of the gateway itself. */
  readonly number: number | undefined
  /** The member `result` of its response. */
  readonly outcome: string
  /** Its response as JSON. */
  readonly text: string
}

/** A body and the HTTP status with which it is sent. */
export interface Body {
  readonly text: string
  readonly status?: number
  /** Whether the connection ends in the middle of the body. */
  readonly isCut?: boolean
}

/** What the upstream sends in place of the response to a request. */
export interface FaultyResponse {
  readonly bodies: readonly Body[]
  /** Bodies that follow in the next event-loop tick. */
  readonly nextTick?: readonly Body[]
  /** Bodies that precede the next response on the connection. */
  readonly beforeNext?: readonly Body[]
  /** Whether the response to the next request on the connection is omitted. */
  readonly omitsNext?: boolean
  /** Whether the response is withheld until another request arrives on the connection. */
  readonly isHeld?: boolean
  /** Whether one call may fail, because it may receive an error without an id while it is alone on its connection. */
  readonly permitsFailure?: boolean
}

/** The call that receives a fault, and other requests that the fault may use. */
export interface FaultContext {
  readonly request: OpenRequest
  readonly item: OpenItem
  /** Number of requests on the connection that have no response yet. */
  readonly openRequests: number
  /** The next request on the connection, if it has arrived. */
  readonly next: OpenRequest | undefined
  /** A request on another connection that has arrived at the same time. */
  readonly concurrent: OpenRequest | undefined
  /** The latest request of the same form that has received its response. */
  readonly previous: OpenRequest | undefined
  /** Writes the response to a call as the upstream writes all of them. */
  readonly write: (id: string | undefined, outcome: string) => string
}

/** Which responses an upstream sends. */
export interface ResponseForm {
  readonly isChunked: boolean
  /** Whether they have more than 64 KiB. */
  readonly isLong: boolean
  /** Whether the id is their last member. */
  readonly isIdLast: boolean
}

/** A fault of an upstream. */
export interface Fault {
  readonly name: string
  /** What the calls must form so that the fault is possible. */
  readonly needs?: 'batch' | 'pipeline' | 'concurrency'
  /** Whether the gateway has to count a mismatched response. */
  readonly isMismatch?: boolean
  /** Whether every attempt of the call receives it. */
  readonly isPersistent?: boolean
  /** The responses with which it occurs. Any by default. */
  readonly form?: Partial<ResponseForm>
  /** Which calls may fail although they may be sent again: those with a long response, or all. */
  readonly mayFail?: 'long' | 'all'
  /** Returns undefined when the fault is not possible in this context. */
  readonly respond: (context: FaultContext) => FaultyResponse | undefined
}

/** Message of an error that the upstream returns for a call. */
export const failureOf = (number: number | undefined) => `failure of call ${number}.`

const own = ({ request: { text } }: FaultContext): Body => ({ text })

const surplusBodies: Readonly<Record<string, (context: FaultContext) => Body | undefined>> = {
  'HTTP 400': () => ({ text: '{"message":"Bad Request"}', status: 400 }),
  'an error with a null id': ({ write }) => ({
    text: write('null', '"error":{"code":-32700,"message":"surplus"}'),
  }),
  'the same response': own,
  'the previous response': ({ previous }) => previous,
}

const errorsWithoutId: ReadonlySet<string> = new Set(['HTTP 400', 'an error with a null id'])

interface Arrival {
  readonly respond: (context: FaultContext, surplus: Body) => FaultyResponse
  /** Number of open requests above which the surplus response precedes that of a call that is not alone. */
  readonly maxLoneRequests: number
}

const arrivals: Readonly<Record<string, Arrival>> = {
  'before its response': {
    respond: (context, surplus) => ({ bodies: [surplus, own(context)] }),
    maxLoneRequests: 1,
  },
  'with its response': {
    respond: (context, surplus) => ({ bodies: [own(context), surplus] }),
    maxLoneRequests: 2,
  },
  'in the next tick': {
    respond: (context, surplus) => ({ bodies: [own(context)], nextTick: [surplus] }),
    maxLoneRequests: Infinity,
  },
  'before the next response': {
    respond: (context, surplus) => ({ bodies: [own(context)], beforeNext: [surplus] }),
    maxLoneRequests: 2,
  },
}

const surplusFaults = Object.entries(surplusBodies).flatMap(([body, surplusOf]) =>
  Object.entries(arrivals).map(([arrival, { respond, maxLoneRequests }]): Fault => ({
    name: `surplus: ${body} ${arrival}`,
    isMismatch: true,
    respond: (context) => {
      const surplus = surplusOf(context)
      const permitsFailure = errorsWithoutId.has(body) && context.openRequests <= maxLoneRequests
      return surplus && { ...respond(context, surplus), permitsFailure }
    },
  })),
)

const misplacedFaults: readonly Fault[] = [
  ...Object.entries<Partial<ResponseForm>>({
    'a short response': { isLong: false },
    'a long response, id first': { isLong: true, isIdLast: false },
    'a long response, id last': { isLong: true, isIdLast: true },
  }).map(([name, form]): Fault => ({
    name: `misplaced: the previous response in place of ${name}`,
    isMismatch: true,
    form,
    respond: ({ previous }) => previous && { bodies: [previous] },
  })),
  {
    name: 'misplaced: swapped with the next response',
    needs: 'pipeline',
    form: { isLong: false },
    isMismatch: true,
    respond: ({ request, next }) => next && swapped(request, next),
  },
  {
    name: 'misplaced: swapped with a response on another connection',
    needs: 'concurrency',
    isMismatch: true,
    respond: ({ request, concurrent }) => concurrent && swapped(request, concurrent),
  },
  {
    name: 'misplaced: merged with the next response',
    needs: 'pipeline',
    form: { isLong: false },
    respond: ({ request, next }) => next && { bodies: [{ text: request.text + next.text }], omitsNext: true },
  },
]

const brokenFaults: readonly Fault[] = [
  {
    name: 'cut: half of the body, framed as a whole',
    mayFail: 'long',
    respond: ({ request: { text } }) => ({ bodies: [{ text: text.slice(0, text.length / 2) }] }),
  },
  {
    name: 'cut: end of the connection in the body',
    mayFail: 'long',
    respond: ({ request: { text } }) => ({ bodies: [{ text, isCut: true }] }),
  },
  {
    name: 'late: after an error, before the next response',
    isMismatch: true,
    respond: (context) => ({
      bodies: [changed(context, context.item.id, failed)],
      beforeNext: [own(context)],
    }),
  },
  {
    name: 'late: after another request on the connection, or the timeout',
    mayFail: 'all',
    respond: () => ({ bodies: [], isHeld: true }),
  },
]

const idFaults: readonly Fault[] = [
  { name: 'id: as a string', respond: (context) => only(changed(context, JSON.stringify(context.item.id))) },
  { name: 'id: null', isMismatch: true, respond: (context) => only(changed(context, 'null')) },
  {
    name: 'id: missing',
    isMismatch: true,
    // Only the end shows that the id is not the last member.
    mayFail: 'long',
    respond: (context) => only(changed(context, undefined)),
  },
  {
    name: 'id: null, in an error',
    isPersistent: true,
    respond: (context) => only(changed(context, 'null', failed)),
  },
  {
    name: 'id: missing, in an error',
    isPersistent: true,
    respond: (context) => only(changed(context, undefined, failed)),
  },
]

const changedBatches: Readonly<
  Record<string, (items: readonly string[], own: string, foreign: string) => readonly string[]>
> = {
  'one response twice': (items, text) => [...items, text],
  'a foreign response behind': (items, _, foreign) => [...items, foreign],
  'a foreign response in front': (items, _, foreign) => [foreign, ...items],
  'a foreign response in place of one': (items, text, foreign) =>
    items.map((item) => (item === text ? foreign : item)),
  'one response missing': (items, text) => items.filter((item) => item !== text),
  'responses in another order': (items) => items.toReversed(),
}
const validBatches: ReadonlySet<string> = new Set(['one response missing', 'responses in another order'])

const batchFaults = Object.entries(changedBatches).map(([name, change]): Fault => ({
  name: `batch: ${name}`,
  needs: 'batch',
  form: { isLong: false },
  isMismatch: !validBatches.has(name),
  respond: ({ request: { isBatch, items }, item, previous }) => {
    const foreign = previous?.items[0]?.text
    if (!isBatch || foreign === undefined) return undefined
    const texts = items.map(({ text }) => text)
    return only({ text: `[${change(texts, item.text, foreign).join(',')}]` })
  },
}))

/** Every fault in each of its forms. */
export const faults: readonly Fault[] = [
  ...surplusFaults,
  ...misplacedFaults,
  ...brokenFaults,
  ...idFaults,
  ...batchFaults,
]

const only = (body: Body): FaultyResponse => ({ bodies: [body] })

function swapped(first: OpenRequest, second: OpenRequest): FaultyResponse {
  ;[first.text, second.text] = [second.text, first.text]
  return only(first)
}

const failed = ({ number }: OpenItem) =>
  `"error":${JSON.stringify({ code: -32000, message: failureOf(number) })}`

/** The response to a request, with another id or outcome for the call that receives the fault. */
function changed(
  { request: { isBatch, items }, item, write }: FaultContext,
  id: string | undefined,
  outcomeOf: (item: OpenItem) => string = ({ outcome }) => outcome,
): Body {
  const texts = items.map((each) => (each === item ? write(id, outcomeOf(item)) : each.text))
  return { text: isBatch ? `[${texts.join(',')}]` : (texts[0] ?? '') }
}
