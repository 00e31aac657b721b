import type { HttpOptions } from '@fairlead/core'
import createFetchClient, { type Client } from 'openapi-fetch'
import type { AddressWriter } from './addresses/writer.ts'
import type { JettonNodeOptions } from './nodes/node.ts'
import type { JettonTransport } from './nodes/transport.ts'

/** Options for one node, or a transport such as the one that `failover` creates. */
export type JettonClientOptions = (
  | (JettonNodeOptions & HttpOptions)
  | { readonly transport: JettonTransport }
) & {
  /** Converts the addresses of all responses to one form. Created by `addressWriter` of `@fairlead/jetton/address`. */
  readonly addresses?: AddressWriter | undefined
}

/** A client of the paths of one API family. */
export function createJettonClient<paths extends object>(
  { baseUrl, headers, send }: JettonTransport,
  addresses: AddressWriter | undefined,
): Client<paths> {
  return createFetchClient<paths>({ baseUrl, headers, fetch: addresses ? addresses(send) : send })
}
