import { join } from 'node:path'
import { routes } from '@fairlead/beacon/contract'
import type { Route } from '@fairlead/core'
import { expectedRefusals, gloas, type Refusal } from './lodestar/expected-errors.ts'
import { repository } from './service.ts'

/** The documentation page with the table. */
export const beaconPageFile = join(repository, 'docs/reference/beacon-operations.md')

/** Operations that the third-party client does not call, or does not call as the specification says. */
export const calledDirectly = {
  eventstream: undefined,
  getExecutionPayloadBid: gloas,
  produceBlockV4: gloas,
} as const satisfies Readonly<Record<string, Refusal | undefined>>

const operations = Object.values<Route>(routes).toSorted(
  (left, right) => order(left.path, right.path) || order(left.method, right.method),
)
const refusals = new Map<string, Refusal | undefined>([
  ...Object.entries(expectedRefusals).map(([name, refusal]) => [name.split('.')[1] ?? '', refusal] as const),
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
  const heading = ['Operation', 'Id', 'Takes', 'Answers', 'Stage', 'Embedded chain']
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const totals: readonly (readonly [string, number])[] = [
    ['In the specification', operations.length],
    ['Taking SSZ beside JSON', count(takesSsz)],
    ['Answering SSZ beside JSON', count(answersSsz)],
    ['Experimental', count(({ stability }) => stability === 'experimental')],
    ['Deprecated', count(({ deprecated }) => deprecated === true)],
    ['Answered by the embedded chain', count(({ operationId }) => !refusals.get(operationId))],
    ...countsOfRefusals(),
  ]
  return [
    '# Operations of the beacon node API',
    '',
    line(['Operations', 'Number']),
    line(['---', '---:']),
    ...totals.map(([name, number]) => line([name, String(number)])),
    '',
    'Each one has been called through the service to find out. [Node access](node-access.md#beacon-node-api) tells what the',
    'service itself does, and which operations of earlier releases it passes on.',
    '',
    line(heading),
    line(heading.map(() => '---')),
    ...rows.map(line),
    '',
  ].join('\n')
}

function order(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

function namesOf(body: { schema?: object; mediaTypes?: readonly string[] } | undefined): string {
  const mediaTypes = body?.mediaTypes ?? (body?.schema ? ['application/json'] : [])
  return mediaTypes.map((type) => forms[type] ?? type).join(', ')
}

function takesSsz({ requestBody }: Route): boolean {
  return namesOf(requestBody).includes('SSZ')
}

function answersSsz({ responses }: Route): boolean {
  return namesOf(responses['200']).includes('SSZ')
}

function stageOf({ deprecated, stability }: Route): string {
  return deprecated ? 'deprecated' : (stability ?? '')
}

function outcomeOf(operationId: string): string {
  const refusal = refusals.get(operationId)
  return refusal ? `${refusal.status}: ${refusal.why}` : 'yes'
}

function count(counts: (route: Route) => boolean): number {
  return operations.filter(counts).length
}

function countsOfRefusals(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { operationId } of operations) {
    const refusal = refusals.get(operationId)
    if (!refusal) continue
    const name = `Refused by it with ${refusal.status}: ${refusal.why}`
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}
