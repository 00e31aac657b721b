import { relative } from 'node:path'
import type { DevelopmentFile } from './development-file.ts'

/** The message for people when the gateway has started. It holds no secret. */
export function welcome(
  { base_url, console_url, owner_email, owner_password, nodes }: DevelopmentFile,
  filePath: string,
  tlsUrl: string | undefined,
): string {
  const chains = nodes.map(({ chain, network, protocols }) => `${chain} ${network} (${protocols.join(', ')})`)
  // The example is part of the repository, not of the published package.
  const exampleCommand = import.meta.url.endsWith('.ts') ? 'npm run quickstart' : `curl ${base_url}/healthz`
  const file = relative(process.cwd(), filePath)
  const owner =
    owner_password === undefined ? 'with your password' : `${owner_email}, owner_password of ${file}`
  const withTls = tlsUrl === undefined ? '' : `\nand with TLS at ${tlsUrl}`
  return `
Fairlead is running at ${base_url}${withTls}

  chains        ${chains.join(', ')}
  console       ${console_url}
  sign in       ${owner}
  credentials   ${file}
  try it        ${exampleCommand}
  stop          Ctrl-C
`
}
