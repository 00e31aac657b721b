import type { Route } from '@fairlead/core'
import { v2, v2Rpc, v3 } from '@fairlead/jetton/contract'
import { join } from 'node:path'
import { byPath, tableOf, totalsTable } from './operation-page.ts'
import { type ExpectedError, v2ExpectedErrors, v3ExpectedErrors } from './jetton/expected-errors.ts'
import { repository } from '@fairlead/e2e-tests/gateway'

/** The documentation page with the tables. */
export const jettonPageFile = join(repository, 'docs/reference/jetton-operations.md')

/** An operation of either family. */
export interface JettonOperation {
  readonly route: Route
  /** Name of the call, shared by the `GET` and the `POST` form of one path. */
  readonly name: string
  readonly expectedError: ExpectedError | undefined
}

/** Operations of family v2, except the one that calls all others. */
export const v2Operations = operationsOf(v2.routes, v2ExpectedErrors).filter(
  ({ route }) => route.operationId !== 'callJsonRpc',
)
/** Operations of family v3. */
export const v3Operations = operationsOf(v3.routes, v3ExpectedErrors)

/** Generates the documentation page from both documents and the known rejections of the embedded chain. */
export function jettonPageText(): string {
  const all = [...v2Operations, ...v3Operations]
  const totals: readonly (readonly [string, number])[] = [
    ['Family v2, by path', v2Operations.length],
    ['Family v2, by JSON-RPC', Object.keys(v2Rpc.methods).length],
    ['Family v3', v3Operations.length],
    ['By path, supported by the embedded chain', all.filter(({ expectedError }) => !expectedError).length],
    ...countsOfErrors(all),
  ]
  return [
    '# Operations of the TON API',
    '',
    ...totalsTable(totals),
    '',
    'A test calls each operation through the gateway, validates the response against the specification, and compares the',
    'result with this table. [TON API](node-access/ton.md) describes the behavior of the gateway.',
    '',
    '## Family v2',
    '',
    '`POST /api/v2/jsonRPC` calls each method by name, with an object of parameters.',
    '',
    ...operationTable(v2Operations),
    '',
    '## Family v3',
    '',
    ...operationTable(v3Operations),
    '',
  ].join('\n')
}

function operationsOf(
  routes: Readonly<Record<string, Route>>,
  expectedErrors: Readonly<Record<string, ExpectedError>>,
): readonly JettonOperation[] {
  return Object.values(routes)
    .map((route) => {
      const name =
        route.operationId in expectedErrors ? route.operationId : route.operationId.replace(/ByPost$/, '')
      return { route, name, expectedError: expectedErrors[name] }
    })
    .toSorted((left, right) => byPath(left.route, right.route))
}

function operationTable(operations: readonly JettonOperation[]): readonly string[] {
  const heading = ['Operation', 'Id', 'Embedded chain']
  const rows = operations.map(({ route: { method, path, operationId }, expectedError }) => [
    `\`${method} ${path}\``,
    `\`${operationId}\``,
    expectedError ? `${expectedError.status}: ${expectedError.reason}` : 'yes',
  ])
  return tableOf(heading, rows)
}

function countsOfErrors(operations: readonly JettonOperation[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { expectedError } of operations) {
    if (!expectedError) continue
    const name = `By path, rejected by it with ${expectedError.status}: ${expectedError.reason}`
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}
