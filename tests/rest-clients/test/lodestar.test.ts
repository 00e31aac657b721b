import { routes as contract } from '@fairlead/beacon/contract'
import { type ApiClient, ApiError, type ApiResponse, routes, WireFormat } from '@lodestar/api'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { calledDirectly } from './beacon-operation-table.ts'
import { checkResponses } from './lodestar/check-responses.ts'
import type { CallContext, Namespace, Subjects } from './lodestar/call.ts'
import { calls } from './lodestar/calls.ts'
import { type Chain, connect, readHead } from './lodestar/chain.ts'
import { expectedErrors, type ExpectedError } from './lodestar/expected-errors.ts'
import { createValidators, type Validators } from './lodestar/validators.ts'

// The third-party client, through the gateway to the embedded beacon chain.
const {
  nodes: [, node],
} = inject('development')
const baseUrl = `${node.node_url}/beacon/${node.token}`
const checker = checkResponses()

let api: ApiClient
let chain: Chain
let validators: Validators
beforeAll(async () => {
  ;({ api, chain } = await connect({ baseUrl, fetch: checker.fetch, globalInit: { retries: 0 } }))
  validators = createValidators(chain.config)
})

const operations = Object.entries(calls).flatMap(([namespace, ofNamespace]) =>
  Object.entries(ofNamespace).map(([name, call]) => ({ name: `${namespace as Namespace}.${name}`, call })),
)
const expectedErrorsByName: Readonly<Record<string, ExpectedError>> = expectedErrors

interface Outcome {
  readonly status: number
  readonly message?: string | undefined
}

// The head moves, and branches, between the preparation of a call and the call itself: a sync committee message is
// valid for one slot only, a block for a moment. A call that arrives too late is repeated for the next head, and has to
// succeed then.
const expiredStatuses: readonly number[] = [400, 404]
const patienceMs = 40_000

// The last test checks which operations the others have called.
describe('the client', { shuffle: false }, () => {
  describe.each<{ format: WireFormat; subjects: Subjects }>([
    {
      format: WireFormat.json,
      subjects: { attesterSlashing: 63, proposerSlashing: 62, voluntaryExit: 61, blsToExecutionChange: 55 },
    },
    {
      format: WireFormat.ssz,
      subjects: { attesterSlashing: 60, proposerSlashing: 58, voluntaryExit: 57, blsToExecutionChange: 51 },
    },
  ])('@lodestar/api with $format', ({ format, subjects }) => {
    const wire = { requestWireFormat: format, responseWireFormat: format }

    async function attempt(call: (context: CallContext, init: object) => Promise<unknown>): Promise<Outcome> {
      try {
        const context = { ...chain, ...(await readHead(api, chain)), api, validators, subjects }
        const response = (await call(context, wire)) as ApiResponse<never>
        // Decodes the body with the client's own types, which throw on unknown content.
        if (response.ok) response.value()
        return { status: response.status, message: response.error()?.message }
      } catch (error) {
        // A preparatory call was rejected.
        if (error instanceof ApiError) return { status: error.status, message: error.message }
        throw error
      }
    }

    it.each(operations)('$name', async ({ name, call }) => {
      const { status, message } = expectedErrorsByName[name] ?? { status: 200 }
      const deadline = Date.now() + patienceMs
      let outcome = await attempt(call)
      while (outcome.status !== status && expiredStatuses.includes(outcome.status) && Date.now() < deadline) {
        outcome = await attempt(call)
      }
      expect(outcome).toEqual({ status, message: message && expect.stringMatching(message) })
      expect(checker.faults()).toEqual([])
    })
  })

  it('calls every operation of the specification except those that the reference page is tested with', () => {
    const all = Object.values(contract).map(({ operationId }) => operationId)
    const missing = all.filter((operationId) => !checker.called.has(operationId))
    expect(missing.toSorted()).toEqual(Object.keys(calledDirectly).toSorted())
  })
})

it('receives errors only for the expected reasons', () => {
  const counts: Record<string, number> = {}
  for (const { name } of operations) {
    const outcome = expectedErrorsByName[name]?.reason ?? 'succeeds'
    counts[outcome] = (counts[outcome] ?? 0) + 1
  }
  expect({ attempted: operations.length, ...counts }).toEqual({
    attempted: 92,
    succeeds: 72,
    'belongs to Gloas': 10,
    'not part of the specification': 4,
    'there is no distributed validator': 2,
    'does not accept POST': 1,
    'there is no peer-to-peer network': 1,
    'there are no peers': 1,
    'there is no external builder': 1,
  })
})

it('receives events', async () => {
  const topics = [
    routes.events.EventType.head,
    routes.events.EventType.block,
    routes.events.EventType.attestation,
  ]
  const received = new Set<string>()
  const stop = new AbortController()
  await new Promise<void>((resolve, reject) => {
    void api.events.eventstream({
      topics,
      signal: stop.signal,
      onEvent: ({ type }) => {
        received.add(type)
        if (received.size === topics.length) resolve()
      },
      onError: reject,
    })
  })
  stop.abort()
  expect([...received].toSorted()).toEqual([...topics].toSorted())
})
