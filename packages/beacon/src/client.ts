import {
  type BasicCredential,
  createRestFetch,
  type HttpOptions,
  nodeAddress,
  type TokenCredential,
} from '@fairlead/core'
import createFetchClient, { type Client } from 'openapi-fetch'
import type { paths } from './generated/index.ts'

export interface BeaconClientOptions extends HttpOptions {
  /** Address of the node without credentials, for example `https://node.example.com`. */
  readonly url: string
  /** Token (sent after `/beacon/`) or user name and password (sent as HTTP basic authentication). */
  readonly auth: TokenCredential | BasicCredential
}

/** The beacon node REST API: `GET`, `POST` and their siblings typed by path. */
export type BeaconClient = Client<paths>

/**
 * Makes a client of a beacon node.
 *
 * @param options - address and credential; `fetch`, `timeoutMs` and `retries` as for every client
 * @returns a client; each call answers `{ data, error, response }`, and `unwrap` turns that into data or an error thrown
 * @throws FairleadError `CONFIG_INVALID` when address or credential cannot work
 * @example
 * ```ts
 * const beacon = createBeaconClient({ url: 'https://node.example.com', auth: { kind: 'token', token } })
 * const { fork_choice_nodes } = await unwrap(beacon.GET('/eth/v1/debug/fork_choice'))
 * ```
 * @see specs/beacon/openapi.yaml
 */
export function createBeaconClient({ url, auth, ...http }: BeaconClientOptions): BeaconClient {
  const { url: baseUrl, headers, secrets } = nodeAddress('beacon', url, auth)
  return createFetchClient<paths>({ baseUrl, headers, fetch: createRestFetch(http, secrets) })
}
