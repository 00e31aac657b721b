import type { Method } from '@fairlead/core'
import type { ProtocolCost } from '../usage/units.ts'
import type { CredentialKind } from '../grants/grant.ts'
import type { RoutePattern } from '../http/route.ts'

/** A list of upstreams of a protocol. */
export interface UpstreamField {
  /** Name in the platform API, for example `jetton_v3`. */
  readonly name: string
  /** Name in the records of nodes and in grants. */
  readonly recordName: string
  /** Option that configures it for the node that the first start creates. */
  readonly option: string
  /** Schemes of its URLs, for example `https:`. */
  readonly schemes: readonly string[]
  /** Whether it contains at most one URL. */
  readonly isSingle: boolean
  /** Another field that it requires, and the message when that field is missing. */
  readonly requires?:
    | {
        readonly field: string
        readonly message: string
        /** Description of the value of the required option, shown after its name in messages. */
        readonly optionDescription: string
      }
    | undefined
  /**
   * Checks the file with the secret of the JSON Web Tokens in requests; omitted when requests contain none.
   *
   * @throws FairleadError `CONFIG_INVALID` that names the option
   */
  readonly checkJwtSecret?: ((file: string, option: string) => void) | undefined
  /** How an option describes what {@link check} requires; the rule ends the sentence "must be". */
  readonly optionRule?: string | undefined
  /** Validates a URL with one of the schemes; returns the problem in words that do not contain the URL. */
  readonly check?: ((address: string) => string | undefined) | undefined
}

/** Methods of a chain, and the path of their calls after the credential. */
export interface ChainMethods {
  readonly path: string
  readonly methods: readonly Method[]
}

/**
 * The endpoint of a protocol. `upgrade-required` is for requests without an upgrade to an endpoint that serves
 * WebSockets only.
 */
export interface ProtocolRoute {
  readonly kind: 'http' | 'websocket' | 'upgrade-required' | 'http2-stream'
  readonly pattern: RoutePattern
  /**
   * Whether its requests are short POST calls, which the built-in HTTP/1.1 server reads completely, and their
   * preflights.
   */
  readonly isBuffered?: boolean
}

/** The static description of a protocol: data and pure functions. */
export interface ProtocolDescription {
  readonly name: string
  readonly upstreamFields: readonly UpstreamField[]
  /** Chains whose primary protocol is this one. */
  readonly chains: readonly string[]
  /** Chain of a node that does not specify one; one of {@link chains}. */
  readonly defaultChain: string
  /** Names of {@link chains} in a sentence, where they differ: `any EVM chain` for `evm`. */
  readonly chainTitles?: Readonly<Record<string, string>> | undefined
  /** Chains of other protocols whose nodes may also offer this protocol. */
  readonly furtherChains: readonly string[]
  /** Kinds of credentials that its clients need in addition to a token and a user name with a password. */
  readonly credentialKinds: readonly CredentialKind[]
  /** Routes of its requests and WebSockets. */
  readonly routes: readonly ProtocolRoute[]
  /** Costs of its calls; one unit each when omitted. */
  readonly cost?: ProtocolCost | undefined
  /**
   * Its endpoint URLs, by their names in the platform API.
   *
   * @param base - URL of the gateway without a trailing slash
   * @param token - credential in the path, or its placeholder
   */
  endpointUrls(base: string, token: string, chain: string): Readonly<Record<string, string>>
  /** Its methods on a chain; omitted when they are not listed. */
  readonly methodsOf?: ((chain: string) => ChainMethods) | undefined
}
