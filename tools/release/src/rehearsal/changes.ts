import type { Bump } from '@fairlead/spec-diff'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A specification change that the rehearsal publishes to the registry. */
export interface SpecChange {
  readonly name: string
  /** The package of the family. */
  readonly package: string
  readonly spec: { readonly family: string; readonly file: string }
  /** The bump of `info.version` that the gate must require, by the rules for version 1.0 and above. */
  readonly bump: Bump
  edit(root: string): Promise<void>
  /** A changeset with too small a bump. */
  readonly insufficient: Readonly<Record<string, Bump>>
  /** The packages for which the gate must require a changeset. */
  readonly required: readonly string[]
  /** The bump of each package whose own API changes, by the rules for version 1.0 and above. */
  readonly bumps: Readonly<Record<string, Bump>>
  /**
   * The packages that depend on the package of the family. They receive a patch if their range does not include its new
   * version.
   */
  readonly dependents: readonly string[]
  /** A user program that uses the new version. It prints `ok`. */
  readonly program: string
}

async function replace(root: string, file: string, from: string, to: string): Promise<void> {
  const path = join(root, file)
  const text = await readFile(path, 'utf8')
  if (!text.includes(from))
    throw new Error(`${file} no longer contains the text that the rehearsal replaces: ${from.trim()}`)
  await writeFile(path, text.replace(from, to))
}

const server = `
import { createServer } from 'node:http'
import { once } from 'node:events'
const server = createServer((request, response) => {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ url: request.url, count: 0, next: null, previous: null, results: [] }))
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const url = 'http://127.0.0.1:' + server.address().port
`
const end = `
server.close()
console.log(good ? 'ok' : 'wrong')
`

const dependents = ['@fairlead/sdk', '@fairlead/gateway']

/** One change of each kind: an addition, a breaking change, and a change of descriptions. */
export const specChanges: readonly SpecChange[] = [
  {
    name: 'an operation is added to jetton',
    package: '@fairlead/jetton',
    spec: { family: 'jetton', file: 'specs/jetton/v3.openapi.yaml' },
    bump: 'minor',
    async edit(root) {
      const known = '  /api/v3/masterchainInfo:\n    $ref: paths/v3/masterchainInfo.yaml\n'
      const added = known.replaceAll('masterchainInfo', 'masterchainRange')
      await replace(root, this.spec.file, known, known + added)
      const folder = join(root, 'specs/jetton/paths/v3')
      await cp(join(folder, 'masterchainInfo.yaml'), join(folder, 'masterchainRange.yaml'))
      const file = 'specs/jetton/paths/v3/masterchainRange.yaml'
      await replace(root, file, 'getMasterchainInfo', 'getMasterchainRange')
      await replace(root, file, 'Get masterchain information', 'Get masterchain range')
    },
    insufficient: { '@fairlead/jetton': 'patch' },
    required: ['@fairlead/jetton'],
    bumps: { '@fairlead/jetton': 'minor' },
    dependents,
    program: `${server}
import { createFairlead, createNode } from '@fairlead/sdk'
import { v3 } from '@fairlead/jetton/contract'
import { createJettonV3Client, unwrap } from '@fairlead/jetton/v3'
const options = { url, auth: { kind: 'token', token: 't0k3n' } }
const direct = await unwrap(createJettonV3Client(options).GET('/api/v3/masterchainRange'))
const through = await unwrap(createNode(options).jetton.v3.GET('/api/v3/masterchainRange'))
const good =
  typeof createFairlead === 'function' &&
  v3.routes.getMasterchainRange.path === '/api/v3/masterchainRange' &&
  direct.url === through.url && direct.url.endsWith('/api/v3/masterchainRange')
${end}`,
  },
  {
    name: 'pages of platform get shorter',
    package: '@fairlead/platform-client',
    spec: { family: 'platform', file: 'specs/platform/openapi.yaml' },
    bump: 'major',
    async edit(root) {
      const file = 'specs/platform/parameters/PageSize.yaml'
      await replace(root, file, '  maximum: 100\n  default: 100\n', '  maximum: 50\n  default: 50\n')
    },
    insufficient: { '@fairlead/platform-client': 'patch', '@fairlead/sdk': 'patch' },
    required: ['@fairlead/platform-client', '@fairlead/sdk'],
    // The facade exports types of the platform, so their breaking change is also its own.
    bumps: { '@fairlead/platform-client': 'major', '@fairlead/sdk': 'major' },
    dependents,
    program: `${server}
import { createFairlead } from '@fairlead/sdk'
import { routes } from '@fairlead/platform-client/contract'
const { platform } = createFairlead({ baseUrl: url, apiKey: 'k3y' })
const { data } = await platform.GET('/v2/projects/', { params: { query: { page_size: 50 } } })
const good = data.url.endsWith('page_size=50') && JSON.stringify(routes.listProjects).includes('"maximum":50')
${end}`,
  },
  {
    name: 'descriptions of evm are corrected',
    package: '@fairlead/evm-rpc',
    spec: { family: 'evm', file: 'specs/evm/openrpc.yaml' },
    bump: 'patch',
    async edit(root) {
      const file = 'specs/evm/methods/net/net_listening.yaml'
      await replace(root, file, 'Returns whether the node accepts', 'Returns whether the node takes')
    },
    insufficient: {},
    required: ['@fairlead/evm-rpc'],
    bumps: { '@fairlead/evm-rpc': 'patch' },
    dependents,
    // The facade is unchanged. Its range accepts the newer package.
    program: `${server}
import { createRequire } from 'node:module'
import { readdirSync, readFileSync } from 'node:fs'
import { createEvmClient } from '@fairlead/evm-rpc'
import { createEvmClient as throughFacade } from '@fairlead/sdk/evm'
const folder = 'node_modules/@fairlead/evm-rpc/dist/generated/'
const types = readdirSync(folder).filter((file) => file.endsWith('.d.ts')).map((file) => readFileSync(folder + file, 'utf8'))
const good =
  createEvmClient === throughFacade &&
  types.join('').includes('Returns whether the node takes') &&
  createRequire(import.meta.url)('@fairlead/evm-rpc/package.json').spec.family === 'evm'
${end}`,
  },
]
