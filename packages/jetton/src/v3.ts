import type { Client } from 'openapi-fetch'
import { createJettonClient, type JettonClientOptions } from './client.ts'
import type { paths } from './generated/jetton-v3/index.ts'

export { FairleadError, isRetryable, unwrap } from '@fairlead/core'
export type { JettonClientOptions } from './client.ts'
export type * from './generated/jetton-v3/index.ts'

/** The v3 API family: `GET` and its siblings typed by path. */
export type JettonV3Client = Client<paths>

/**
 * Makes a client of the v3 API family of a jetton-chain node.
 *
 * @param options - address and credential; `fetch`, `timeoutMs` and `retries` as for every client
 * @returns a client; each call answers `{ data, error, response }`, and `unwrap` turns that into data or an error thrown
 * @throws FairleadError `CONFIG_INVALID` when address or credential cannot work
 * @example
 * ```ts
 * const jetton = createJettonV3Client({ url: 'https://node.example.com', auth: { kind: 'token', token } })
 * const { burns } = await unwrap(jetton.GET('/api/v3/jetton/burns', { params: { query: { address } } }))
 * const burned = burns.reduce((sum, burn) => sum + BigInt(burn.amount), 0n)
 * ```
 * @see specs/jetton/v3.openapi.yaml
 */
export function createJettonV3Client(options: JettonClientOptions): JettonV3Client {
  return createJettonClient<paths>(options)
}
