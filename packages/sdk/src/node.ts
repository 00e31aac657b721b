import { type BeaconClient, createBeaconClient } from '@fairlead/beacon'
import type { BasicCredential, HttpOptions, TokenCredential } from '@fairlead/core'
import { createEvmClient, type EvmClient } from '@fairlead/evm-rpc'
import { createJettonV2Client, type JettonV2Client } from '@fairlead/jetton/v2'
import { createJettonV3Client, type JettonV3Client } from '@fairlead/jetton/v3'

/** Options of {@link createNode}: URL, credential, and HTTP options of all clients. */
export interface NodeOptions extends HttpOptions {
  /** URL of the node without credentials, for example `https://node.example.com`. */
  readonly url: string
  /** Token or user name and password. */
  readonly auth: TokenCredential | BasicCredential
  /** Path after the token if the EVM chain has one, for example `evm`. */
  readonly path?: string | undefined
}

/** The clients of one node; each is created on first access. */
export interface Node {
  readonly evm: EvmClient
  readonly beacon: BeaconClient
  readonly jetton: { readonly v2: JettonV2Client; readonly v3: JettonV3Client }
}

/**
 * Creates clients of a node for every HTTP protocol that it may support.
 *
 * @param options - URL and credential; `fetch`, `timeoutMs` and `retries` as for every client
 * @returns clients that share the options
 * @throws FairleadError `CONFIG_INVALID`, on first access of a client, if URL or credential are invalid
 * @example
 * ```ts
 * const node = createNode({ url: 'https://node.example.com', auth: { kind: 'token', token } })
 * const height = await node.evm.request({ method: 'eth_blockNumber' })
 * ```
 * @see specs/evm/openrpc.yaml; specs/beacon/openapi.yaml; specs/jetton/v3.openapi.yaml
 */
export function createNode(options: NodeOptions): Node {
  return {
    get evm() {
      return defineOnce(this, 'evm', createEvmClient(options))
    },
    get beacon() {
      return defineOnce(this, 'beacon', createBeaconClient(options))
    },
    get jetton() {
      return defineOnce(this, 'jetton', {
        v2: createJettonV2Client(options),
        v3: createJettonV3Client(options),
      })
    },
  }
}

// The getter is replaced by its value, so that a client keeps its state between calls.
function defineOnce<value>(node: object, name: string, value: value): value {
  Object.defineProperty(node, name, { value, enumerable: true })
  return value
}
