export { FairleadError, isRetryable, unwrap } from '@fairlead/core'
export type { PlatformClientOptions as FairleadOptions } from '@fairlead/platform-client'
export { createFairlead, type Fairlead } from './fairlead.ts'
export { createNode, type Node, type NodeOptions } from './node.ts'
