import {
  type BasicCredential,
  createRestFetch,
  type HttpOptions,
  nodeAddress,
  type TokenCredential,
} from '@fairlead/core'
import createFetchClient, { type Client } from 'openapi-fetch'

export interface JettonClientOptions extends HttpOptions {
  /** Address of the node without credentials, for example `https://node.example.com`. */
  readonly url: string
  /** Token (sent in the path before `/api`) or user name and password (sent as HTTP basic authentication). */
  readonly auth: TokenCredential | BasicCredential
}

/** A client of the paths of one API family. */
export function createJettonClient<paths extends object>({
  url,
  auth,
  ...http
}: JettonClientOptions): Client<paths> {
  const { url: baseUrl, headers, secrets } = nodeAddress('jetton', url, auth)
  return createFetchClient<paths>({ baseUrl, headers, fetch: createRestFetch(http, secrets) })
}
