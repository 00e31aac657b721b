import {
  type BasicCredential,
  FairleadError,
  newHealth,
  nodeAddress,
  type NodeAddress,
  type NodeHealth,
  type TokenCredential,
} from '@fairlead/core'

/** URL and credential of a node. */
export interface JettonNodeOptions {
  /** URL of the node without credentials, for example `https://node.example.com`. */
  readonly url: string
  /** Token (sent in the path before `/api`) or user name and password (sent as HTTP basic authentication). */
  readonly auth: TokenCredential | BasicCredential
}

/** One of several nodes. It contains the credential: never log it. */
export interface Node extends NodeAddress {
  readonly health: NodeHealth
}

/**
 * Creates the nodes of a transport.
 *
 * @throws FairleadError `CONFIG_INVALID` naming the option: of one node `url`, of several `nodes[1].url` for example
 */
export function createNodes(nodes: JettonNodeOptions | readonly JettonNodeOptions[]): readonly Node[] {
  if (!isList(nodes)) return [createNode(nodes)]
  if (nodes.length === 0) throw invalid('nodes', 'must hold at least one')
  return nodes.map((node, index) => {
    try {
      return createNode(node)
    } catch (error) {
      if (!FairleadError.is(error, 'CONFIG_INVALID')) throw error
      throw invalid(`nodes[${index}].${error.details.option}`, error.details.rule)
    }
  })
}

function createNode({ url, auth }: JettonNodeOptions): Node {
  return { ...nodeAddress('jetton', url, auth), health: newHealth() }
}

function isList(
  nodes: JettonNodeOptions | readonly JettonNodeOptions[],
): nodes is readonly JettonNodeOptions[] {
  return Array.isArray(nodes)
}

function invalid(option: string, rule: string): FairleadError {
  return new FairleadError('CONFIG_INVALID', { option, rule })
}
