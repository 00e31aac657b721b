import {
  createPlatformClient,
  type PlatformClient,
  type PlatformClientOptions,
  type Project,
  projects,
  type ProjectsQuery,
} from '@fairlead/platform-client'
import { createNode, type Node, type NodeOptions } from './node.ts'

/** A client of the platform API and of the nodes that it manages. */
export interface Fairlead {
  readonly platform: PlatformClient & {
    /** Lists all matching projects, and requests further pages on demand. */
    projects(query?: ProjectsQuery): AsyncIterable<Project>
  }
  /** Creates the clients of a node with the HTTP options of this object. */
  node(options: NodeOptions): Node
}

/**
 * Creates one object for all APIs: the platform API with an API key, and nodes with their own credentials.
 *
 * @param options - URL of the platform API and API key; `fetch`, `timeoutMs` and `retries` apply to nodes too
 * @returns the platform client, and a function that creates the clients of a node
 * @throws FairleadError `CONFIG_INVALID` when the URL or the key is invalid
 * @example
 * ```ts
 * const fairlead = createFairlead({ baseUrl: 'https://api.example.com', apiKey })
 * for await (const project of fairlead.platform.projects()) console.log(project.name)
 * const { evm } = fairlead.node({ url: 'https://node.example.com', auth: { kind: 'token', token } })
 * ```
 * @see specs/platform/openapi.yaml
 */
export function createFairlead(options: PlatformClientOptions): Fairlead {
  const { baseUrl: _baseUrl, apiKey: _apiKey, ...http } = options
  const platform = createPlatformClient(options)
  return {
    platform: { ...platform, projects: (query) => projects(platform, query) },
    node: (node) => createNode({ ...http, ...node }),
  }
}
