import type { HttpOptions } from '@fairlead/core'
import createFetchClient, { type Client } from 'openapi-fetch'
import type { paths } from './generated/index.ts'
import { anyNode, type BeaconNodeOptions } from './nodes/node.ts'
import { type BeaconTransport, singleNode } from './nodes/transport.ts'

/** Options for a connection to one beacon node. */
export interface BeaconClientOptions extends BeaconNodeOptions, HttpOptions {}

/** A client of the beacon node REST API. `GET`, `POST` and the other methods are typed by path. */
export interface BeaconClient extends Client<paths, 'application/json'> {
  /** The transport that sends the requests. Functions of this package that accept a client send through it too. */
  readonly transport: BeaconTransport
}

/**
 * Creates a client of one or several beacon nodes.
 *
 * @param options - URL and credential of one node, with `fetch`, `timeoutMs` and `retries` as for every client; or a
 *   `transport`, such as the one that {@link failover} creates
 * @returns a client; each call resolves to `{ data, error, response }`, and `unwrap` returns the data or throws the
 *   error
 * @throws FairleadError `CONFIG_INVALID` when an option is invalid
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
