import type { Route } from '@fairlead/core'
import { v2, v2Rpc, v3 } from '@fairlead/jetton/contract'
import { join } from 'node:path'
import { type Refusal, v2Refusals, v3Refusals } from './jetton/expected-errors.ts'
import { repository } from './service.ts'

/** The documentation page with the tables. */
export const jettonPageFile = join(repository, 'docs/reference/jetton-operations.md')

/** An operation of either family. */
export interface JettonOperation {
  readonly route: Route
  /** Name of the call, shared by the `GET` and the `POST` form of one path. */
  readonly name: string
  readonly refusal: Refusal | undefined
}

/** Operations of family v2, except the one that calls all others. */
export const v2Operations = operationsOf(v2.routes, v2Refusals).filter(
  ({ route }) => route.operationId !== 'callJsonRpc',
)
/** Operations of family v3. */
export const v3Operations = operationsOf(v3.routes, v3Refusals)

/** Generates the documentation page from both documents and the known rejections of the embedded chain. */
export function jettonPageText(): string {
  const all = [...v2Operations, ...v3Operations]
  const totals: readonly (readonly [string, number])[] = [
    ['Family v2, by path', v2Operations.length],
    ['Family v2, by JSON-RPC', Object.keys(v2Rpc.methods).length],
    ['Family v3', v3Operations.length],
    ['By path, answered by the embedded chain', all.filter(({ refusal }) => !refusal).length],
    ...countsOfRefusals(all),
  ]
  return [
    '# Operations of the jetton chain API',
    '',
    line(['Operations', 'Number']),
    line(['---', '---:']),
    ...totals.map(([name, number]) => line([name, String(number)])),
    '',
    'Each one has been called through the service to find out, and every answer is valid against the specification.',
    '[Node access](node-access.md#jetton-chain-api) tells what the service itself does.',
    '',
    '## Family v2',
    '',
    '`POST /api/v2/jsonRPC` calls each method by its name, with the parameters as an object.',
    '',
    ...tableOf(v2Operations),
    '',
    '## Family v3',
    '',
    ...tableOf(v3Operations),
    '',
  ].join('\n')
}

function operationsOf(
  routes: Readonly<Record<string, Route>>,
  refusals: Readonly<Record<string, Refusal>>,
): readonly JettonOperation[] {
  return Object.values(routes)
    .map((route) => {
      const name =
        route.operationId in refusals ? route.operationId : route.operationId.replace(/ByPost$/, '')
      return { route, name, refusal: refusals[name] }
    })
    .toSorted(
      (left, right) =>
        order(left.route.path, right.route.path) || order(left.route.method, right.route.method),
    )
}

function tableOf(operations: readonly JettonOperation[]): readonly string[] {
  const heading = ['Operation', 'Id', 'Embedded chain']
  const rows = operations.map(({ route: { method, path, operationId }, refusal }) => [
    `\`${method} ${path}\``,
    `\`${operationId}\``,
    refusal ? `${refusal.status}: ${refusal.why}` : 'yes',
  ])
  return [heading, heading.map(() => '---'), ...rows].map(line)
}

function countsOfRefusals(operations: readonly JettonOperation[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { refusal } of operations) {
    if (!refusal) continue
    const name = `By path, refused by it with ${refusal.status}: ${refusal.why}`
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

function order(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
