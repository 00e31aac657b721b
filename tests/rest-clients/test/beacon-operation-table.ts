import { join } from 'node:path'
import { routes } from '@fairlead/beacon/contract'
import type { Route } from '@fairlead/core'
import { expectedErrors, gloas, type ExpectedError } from './lodestar/expected-errors.ts'
import { byPath, tableOf, totalsTable } from './operation-page.ts'
import { repository } from '@fairlead/e2e-tests/gateway'

/** The documentation page with the table. */
export const beaconPageFile = join(repository, 'docs/reference/beacon-operations.md')

/** Operations that the third-party client does not call, or does not call as the specification says. */
export const calledDirectly = {
  eventstream: undefined,
  getExecutionPayloadBid: gloas,
  produceBlockV4: gloas,
} as const satisfies Readonly<Record<string, ExpectedError | undefined>>

const operations = Object.values<Route>(routes).toSorted(byPath)
const expectedErrorsByMethod = new Map<string, ExpectedError | undefined>([
  ...Object.entries(expectedErrors).map(
    ([name, expectedError]) => [name.split('.')[1] ?? '', expectedError] as const,
  ),
  ...Object.entries(calledDirectly),
])

const forms: Readonly<Record<string, string>> = {
  'application/json': 'JSON',
  'application/octet-stream': 'SSZ',
  'text/event-stream': 'events',
}

/** Generates the documentation page from the specification and the known rejections of the embedded chain. */
export function beaconPageText(): string {
  const rows = operations.map((route) => {
    const { operationId, method, path, requestBody, responses } = route
    return [
      `\`${method} ${path}\``,
      `\`${operationId}\``,
      namesOf(requestBody),
      namesOf(responses['200']),
      stageOf(route),
      outcomeOf(operationId),
    ]
  })
  const heading = ['Operation', 'Id', 'Request', 'Response', 'Stage', 'Embedded chain']
  const totals: readonly (readonly [string, number])[] = [
    ['In the specification', operations.length],
    ['Accept SSZ and JSON', count(acceptsSsz)],
    ['Return SSZ and JSON', count(returnsSsz)],
    ['Experimental', count(({ stability }) => stability === 'experimental')],
    ['Deprecated', count(({ deprecated }) => deprecated === true)],
    ['Supported by the embedded chain', count(({ operationId }) => !expectedErrorsByMethod.get(operationId))],
    ...countsOfErrors(),
  ]
  return [
    '# Operations of the beacon node API',
    '',
    ...totalsTable(totals),
    '',
    'A test calls each operation through the gateway and compares the result with this table. [Beacon node',
    'API](node-access/beacon.md) describes the behavior of the gateway, and the operations of earlier releases that it',
    'forwards.',
    '',
    ...tableOf(heading, rows),
    '',
  ].join('\n')
}

function namesOf(body: { schema?: object; mediaTypes?: readonly string[] } | undefined): string {
  const mediaTypes = body?.mediaTypes ?? (body?.schema ? ['application/json'] : [])
  return mediaTypes.map((type) => forms[type] ?? type).join(', ')
}

function acceptsSsz({ requestBody }: Route): boolean {
  return namesOf(requestBody).includes('SSZ')
}

function returnsSsz({ responses }: Route): boolean {
  return namesOf(responses['200']).includes('SSZ')
}

function stageOf({ deprecated, stability }: Route): string {
  return deprecated ? 'deprecated' : (stability ?? '')
}

function outcomeOf(operationId: string): string {
  const expectedError = expectedErrorsByMethod.get(operationId)
  return expectedError ? `${expectedError.status}: ${expectedError.reason}` : 'yes'
}

function count(counts: (route: Route) => boolean): number {
  return operations.filter(counts).length
}

function countsOfErrors(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { operationId } of operations) {
    const expectedError = expectedErrorsByMethod.get(operationId)
    if (!expectedError) continue
    const name = `Rejected by it with ${expectedError.status}: ${expectedError.reason}`
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}
