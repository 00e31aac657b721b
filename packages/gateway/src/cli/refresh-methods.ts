import { setTimeout as sleep } from 'node:timers/promises'
import { callOperation } from './call-operation.ts'
import { CommandFailure, exitCodes } from './exit-codes.ts'
import { findNodeByName } from './find-node-by-name.ts'
import type { Connection } from './profiles.ts'

/** A method of a node, as the platform API returns it. */
interface MethodResource {
  readonly probed_at: string | null
}

const pollMs = 500
const maxMs = 120_000
const pageSize = 100

/**
 * Probes the methods of a node and waits for the results.
 *
 * @param connection - the gateway
 * @param name - id of the node, or a name that only one node has
 * @returns the methods, as a list of the platform API
 * @throws CommandFailure when the probe does not end within two minutes, for example because the node cannot be reached
 */
export async function refreshMethods(
  connection: Connection,
  name: string,
): Promise<{ readonly count: number; readonly results: readonly MethodResource[] }> {
  const { id } = await findNodeByName(connection, name)
  const { body } = await callOperation(connection, 'probeNodeMethods', { path: { id } })
  const { requested_at: requestedAt } = body as { readonly requested_at: string }
  for (const began = performance.now(); performance.now() - began < maxMs; await sleep(pollMs)) {
    const results = await methodsOf(connection, id)
    // All methods are recorded at once. The timestamps come from one clock and have the same number of digits.
    if (results.some((method) => (method.probed_at ?? '') > requestedAt))
      return { count: results.length, results }
  }
  const message =
    'The probe is still running. `fairlead node methods` shows its results, and the gateway log shows failures.'
  throw new CommandFailure(message, exitCodes.unavailable)
}

async function methodsOf(connection: Connection, id: string): Promise<readonly MethodResource[]> {
  const results: MethodResource[] = []
  for (let page = 1; ; page += 1) {
    const query = { page: String(page), page_size: String(pageSize) }
    const { body } = await callOperation(connection, 'listNodeMethods', { path: { id }, query })
    const response = body as { readonly next: string | null; readonly results: readonly MethodResource[] }
    results.push(...response.results)
    if (response.next === null) return results
  }
}
