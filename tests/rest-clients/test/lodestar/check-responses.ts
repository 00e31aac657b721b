import type { Route } from '@fairlead/core'
import { document, routes, schemas } from '@fairlead/beacon/contract'
import { Ajv2020 } from 'ajv/dist/2020.js'

const ssz = 'application/octet-stream'
const json = 'application/json'

/** A fault of a gateway response. */
interface Fault {
  readonly operation: string
  readonly status: number
  readonly violation: unknown
}

/** A `fetch` that validates every response against the specification. */
export interface CheckedFetch {
  readonly fetch: typeof fetch
  /** Operations of the specification that were called with their HTTP method. */
  readonly called: ReadonlySet<string>
  /** Returns the faults since the last call of this function. */
  faults(): readonly Fault[]
}

/**
 * Creates a {@link CheckedFetch}. Statuses and JSON bodies must be documented. A client that prefers SSZ must receive
 * it where it exists.
 */
export function checkResponses(): CheckedFetch {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    schemas: [{ $id: document, components: { schemas } }],
  })
  const patterns = Object.values<Route>(routes).map((route) => ({
    route,
    pattern: new RegExp(`/beacon/[^/]+${route.path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
  }))
  const called = new Set<string>()
  let collected: Fault[] = []

  async function violationOf(
    { responses }: Route,
    accept: string | null,
    response: Response,
  ): Promise<unknown> {
    const described = responses[response.status]
    if (!described) return 'the status is not documented'
    const type = response.headers.get('content-type')?.split(';')[0]
    if (accept?.startsWith(ssz) && described.mediaTypes?.includes(ssz) && type !== ssz) return `it is ${type}`
    if (type !== json) return undefined
    if (!described.schema) return 'a body is not documented'
    const validate = ajv.compile(described.schema)
    return validate(await response.clone().json()) ? undefined : validate.errors?.slice(0, 5)
  }

  return {
    called,
    fetch: async (input, init) => {
      const response = await fetch(input, init)
      const { pathname } = new URL(input instanceof Request ? input.url : input)
      const method = init?.method ?? 'GET'
      const route = patterns.find(
        (entry) => entry.route.method === method && entry.pattern.test(pathname),
      )?.route
      if (!route) return response
      called.add(route.operationId)
      const violation = await violationOf(route, new Headers(init?.headers).get('accept'), response)
      if (violation !== undefined)
        collected.push({ operation: route.operationId, status: response.status, violation })
      return response
    },
    faults: () => {
      const faults = collected
      collected = []
      return faults
    },
  }
}
