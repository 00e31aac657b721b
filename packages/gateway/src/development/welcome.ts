import { relative } from 'node:path'
import type { DevelopmentFile } from './development-file.ts'

/** What a person sees when the service is up; it holds no secret. */
export function welcome({ base_url, nodes }: DevelopmentFile, filePath: string): string {
  const chains = nodes.map(({ chain, network, protocols }) => `${chain} ${network} (${protocols.join(', ')})`)
  return `
Fairlead is running at ${base_url}

  chains        ${chains.join(', ')}
  credentials   ${relative(process.cwd(), filePath)}
  try it        npm run quickstart
  stop          Ctrl-C
`
}
