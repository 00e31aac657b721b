import { relative } from 'node:path'
import type { DevelopmentFile } from './development-file.ts'

/** What a person sees when the service is up; it holds no secret. */
export function welcome(
  { base_url, nodes }: DevelopmentFile,
  filePath: string,
  tlsUrl: string | undefined,
): string {
  const chains = nodes.map(({ chain, network, protocols }) => `${chain} ${network} (${protocols.join(', ')})`)
  // The example is part of a clone, not of the published package.
  const tryIt = import.meta.url.endsWith('.ts') ? 'npm run quickstart' : `curl ${base_url}/healthz`
  const withTls = tlsUrl === undefined ? '' : `\nand with TLS at ${tlsUrl}`
  return `
Fairlead is running at ${base_url}${withTls}

  chains        ${chains.join(', ')}
  credentials   ${relative(process.cwd(), filePath)}
  try it        ${tryIt}
  stop          Ctrl-C
`
}
