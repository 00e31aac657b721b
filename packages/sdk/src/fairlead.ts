import {
  createPlatformClient,
  type PlatformClient,
  type PlatformClientOptions,
  type Project,
  projects,
  type ProjectsQuery,
} from '@fairlead/platform-client'
import { createNode, type Node, type NodeOptions } from './node.ts'

/** The platform API and the nodes that it manages. */
export interface Fairlead {
  readonly platform: PlatformClient & {
    /** Lists all projects that match, fetching page after page as they are read. */
    projects(query?: ProjectsQuery): AsyncIterable<Project>
  }
  /** Opens a node with the HTTP settings of this object. */
  node(options: NodeOptions): Node
}

/**
 * Makes the one object that reaches everything: the platform API by key, and nodes by their own credentials.
 *
 * @param options - address of the platform API and API key; `fetch`, `timeoutMs` and `retries` hold for nodes too
 * @returns the platform client, and a function that opens nodes
 * @throws FairleadError `CONFIG_INVALID` when the address or the key cannot work
 * @example
 * ```ts
 * const fairlead = createFairlead({ baseUrl: 'https://api.example.com', apiKey })
 * for await (const project of fairlead.platform.projects()) console.log(project.name)
 * const { evm } = fairlead.node({ url: 'https://node.example.com', auth: { kind: 'token', token } })
 * ```
 */
export function createFairlead(options: PlatformClientOptions): Fairlead {
  const { baseUrl: _baseUrl, apiKey: _apiKey, ...http } = options
  const platform = createPlatformClient(options)
  return {
    platform: { ...platform, projects: (query) => projects(platform, query) },
    node: (node) => createNode({ ...http, ...node }),
  }
}
