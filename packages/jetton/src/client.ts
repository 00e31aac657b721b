import type { HttpOptions } from '@fairlead/core'
import createFetchClient, { type Client } from 'openapi-fetch'
import type { AddressWriter } from './addresses/writer.ts'
import type { JettonNodeOptions } from './nodes/node.ts'
import type { JettonTransport } from './nodes/transport.ts'

/** One node, or a transport such as `failover` makes it. */
export type JettonClientOptions = (
  | (JettonNodeOptions & HttpOptions)
  | { readonly transport: JettonTransport }
) & {
  /** Writes the addresses of all answers in one form: what `addressWriter` of `@fairlead/jetton/address` makes. */
  readonly addresses?: AddressWriter | undefined
}

/** A client of the paths of one API family. */
export function createJettonClient<paths extends object>(
  { baseUrl, headers, send }: JettonTransport,
  addresses: AddressWriter | undefined,
): Client<paths> {
  return createFetchClient<paths>({ baseUrl, headers, fetch: addresses ? addresses(send) : send })
}
