import type { HttpOptions } from '@fairlead/core'
import createFetchClient, { type Client } from 'openapi-fetch'
import type { paths } from './generated/index.ts'
import { anyNode, type BeaconNodeOptions } from './nodes/node.ts'
import { type BeaconTransport, singleNode } from './nodes/transport.ts'

/** How to reach one node. */
export interface BeaconClientOptions extends BeaconNodeOptions, HttpOptions {}

/** The beacon node REST API: `GET`, `POST` and their siblings typed by path. */
export interface BeaconClient extends Client<paths, 'application/json'> {
  /** What the calls travel by. The functions of this package that take a client send by it too. */
  readonly transport: BeaconTransport
}

/**
 * Makes a client of a beacon node, or of several.
 *
 * @param options - address and credential of one node, with `fetch`, `timeoutMs` and `retries` as for every client; or a
 *   `transport`, such as {@link failover} makes it
 * @returns a client; each call answers `{ data, error, response }`, and `unwrap` turns that into data or an error thrown
 * @throws FairleadError `CONFIG_INVALID` when an option cannot work
 * @example
 * ```ts
 * const beacon = createBeaconClient({ url: 'https://node.example.com', auth: { kind: 'token', token } })
 * const { fork_choice_nodes } = await unwrap(beacon.GET('/eth/v1/debug/fork_choice'))
 * ```
 * @see specs/beacon/openapi.yaml
 */
export function createBeaconClient(
  options: BeaconClientOptions | { readonly transport: BeaconTransport },
): BeaconClient {
  const transport = 'transport' in options ? options.transport : singleNode(options)
  const client = createFetchClient<paths, 'application/json'>({
    baseUrl: anyNode,
    fetch: (request) => transport.fetch(request),
  })
  return { ...client, transport }
}
