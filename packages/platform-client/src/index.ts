export { FairleadError, isRetryable, unwrap } from '@fairlead/core'
export { createPlatformClient, type PlatformClient, type PlatformClientOptions } from './client.ts'
export type * from './generated/index.ts'
export { projects, type ProjectsQuery } from './projects.ts'
