import type { Client } from 'openapi-fetch'
import { createJettonClient, type JettonClientOptions } from './client.ts'
import type { paths } from './generated/jetton-v3/types.ts'
import { singleNode } from './nodes/transport.ts'

export { FairleadError, isRetryable, unwrap } from '@fairlead/core'
export type { AddressWriter } from './addresses/writer.ts'
export { fromUnits, toUnits } from './amount.ts'
export type { BurnCursor } from './burns/burn-position.ts'
export { jettonBurns, type JettonBurnsOptions } from './burns/jetton-burns.ts'
export { watchBurns, type WatchBurnsOptions, type WatchedBurn } from './burns/watch-burns.ts'
export type { JettonClientOptions } from './client.ts'
export type * from './generated/jetton-v3/types.ts'
export { failover, type FailoverOptions } from './nodes/failover.ts'
export type { JettonNodeOptions } from './nodes/node.ts'
export type { RateLimit } from './nodes/rate-limit.ts'
export type { JettonTransport } from './nodes/transport.ts'
export type { PageOptions } from './pages/page-options.ts'
export { type ListPath, type Row, rows, type RowsOptions } from './pages/rows.ts'
export { isRateLimited } from './rate-limited.ts'

/** The v3 API family: `GET` and the other methods typed by path. */
export type JettonV3Client = Client<paths>

/**
 * Creates a client of the v3 API family (HTTP API of TON) of one or several nodes.
 *
 * @param options - URL and credential of one node, with `fetch`, `timeoutMs` and `retries` as for every client; or a
 *   `transport`, such as the one that `failover` creates; `addresses`
 * @returns a client; each call resolves to `{ data, error, response }`, and `unwrap` returns the data or throws the
 *   error
 * @throws FairleadError `CONFIG_INVALID` when an option is invalid
 * @example
 * ```ts
 * const jetton = createJettonV3Client({ url: 'https://node.example.com', auth: { kind: 'token', token } })
 * const { burns } = await unwrap(jetton.GET('/api/v3/jetton/burns', { params: { query: { address } } }))
 * const burned = burns.reduce((sum, burn) => sum + BigInt(burn.amount), 0n)
 * ```
 * @see specs/jetton/v3.openapi.yaml
 */
export function createJettonV3Client(options: JettonClientOptions): JettonV3Client {
  const transport = 'transport' in options ? options.transport : singleNode(options)
  return createJettonClient<paths>(transport, options.addresses)
}
