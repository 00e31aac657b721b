import type { Method } from '@fairlead/core'
import type { ProtocolCost } from '../usage/units.ts'
import type { CredentialKind } from '../grants/grant.ts'
import type { RoutePattern } from '../http/route.ts'

/** A list of upstreams that a protocol has. */
export interface UpstreamField {
  /** Its name in the platform API, for example `jetton_v3`. */
  readonly name: string
  /** Its name in the records of nodes and in grants. */
  readonly recordName: string
  /** Option that configures it for the node of the first start. */
  readonly option: string
  /** Schemes of its addresses, for example `https:`. */
  readonly schemes: readonly string[]
  /** Whether it holds one address at most. */
  readonly isSingle: boolean
  /** Another field that it is of no use without, and what to tell who leaves that out. */
  readonly requires?:
    | {
        readonly field: string
        readonly message: string
        /** What the required option holds, behind its name. */
        readonly optionHolds: string
      }
    | undefined
  /**
   * Checks the file with the secret of the JSON Web Tokens that requests carry; left out where requests carry none.
   *
   * @throws FairleadError `CONFIG_INVALID` that names the option
   */
  readonly checkJwtSecret?: ((file: string, option: string) => void) | undefined
  /** How an option says what {@link check} requires; the rule ends the sentence "must be". */
  readonly optionRule?: string | undefined
  /** What is wrong with an address of one of the schemes, in words that do not repeat it. */
  readonly check?: ((address: string) => string | undefined) | undefined
}

/** Methods of a chain, and what follows the credential in the path of their calls. */
export interface ChainMethods {
  readonly path: string
  readonly methods: readonly Method[]
}

/** Where requests of a protocol arrive; `upgrade-required` for requests without an upgrade to what only WebSockets are served at. */
export interface ProtocolRoute {
  readonly kind: 'http' | 'websocket' | 'upgrade-required' | 'http2-stream'
  readonly pattern: RoutePattern
  /** Whether its requests are short calls by POST, which the built-in HTTP/1.1 server reads whole, and their preflights. */
  readonly isBuffered?: boolean
}

/** What the service knows of a protocol before any request: data and pure functions. */
export interface ProtocolDescription {
  readonly name: string
  readonly upstreamFields: readonly UpstreamField[]
  /** Chains that are known by this protocol first. */
  readonly chains: readonly string[]
  /** The one of {@link chains} that a node is of when nothing else is said. */
  readonly defaultChain: string
  /** Names of {@link chains} in a sentence, where they differ: `any EVM chain` for `evm`. */
  readonly chainTitles?: Readonly<Record<string, string>> | undefined
  /** Chains of other protocols whose nodes may offer this one too. */
  readonly furtherChains: readonly string[]
  /** Kinds of credentials that its clients need beside a token, and a user name with a password. */
  readonly credentialKinds: readonly CredentialKind[]
  /** Where its requests and its WebSockets arrive. */
  readonly routes: readonly ProtocolRoute[]
  /** What its calls cost; one unit each when left out. */
  readonly cost?: ProtocolCost | undefined
  /**
   * Where clients reach it, by the name that the platform API has for it.
   *
   * @param base - address of the service without a slash at the end
   * @param token - credential in the path, or what stands for it
   */
  endpointUrls(base: string, token: string, chain: string): Readonly<Record<string, string>>
  /** Its methods on a chain; left out where they are not listed. */
  readonly methodsOf?: ((chain: string) => ChainMethods) | undefined
}
