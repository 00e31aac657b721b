import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Method } from '@fairlead/core'
import { methods } from '@fairlead/evm-rpc/contract'
import { parse } from 'yaml'
import { evmOnly, repository, startGateway, temporaryFolder } from './gateway.ts'

/** Responses to every method, by transport: `available`, `available -32602 params rejected`, `missing -32601`. */
export interface MethodTable {
  readonly clientVersion: string
  readonly methods: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** Both tables. */
export interface MethodTables {
  readonly engine: MethodTable
  readonly gateway: MethodTable
}

export const tableFiles = {
  engine: join(repository, 'tests/contract/fixtures/evm/anvil-1.7.1-methods.json'),
  gateway: join(repository, 'tests/contract/fixtures/evm/gateway-methods.json'),
} as const satisfies Record<keyof MethodTables, string>

/** The documentation page with the tables. */
export const pageFile = join(repository, 'docs/reference/methods.md')

const run = promisify(execFile)

interface Report {
  readonly node: { readonly clientVersion: string }
  readonly methods: readonly {
    readonly method: string
    readonly transport: string
    readonly outcome: string
    readonly note: string
    readonly code: number | null
  }[]
}

/** Probes the embedded engine, and the gateway in front of it, with the public command. */
export async function probeBoth(): Promise<MethodTables> {
  const folder = await temporaryFolder()
  // The built-in probe of the gateway would change its responses while this one runs.
  const gateway = await startGateway(folder.path, { ...evmOnly, FAIRLEAD_PROBE_NODES: 'false' })
  try {
    const engine = /evm: Accepts calls at (http:\S+?)\.?\s/.exec(gateway.output())?.[1] ?? ''
    const [{ node_url: url, token }] = gateway.file.nodes
    const socket = (address: string) => address.replace(/^http/, 'ws')
    return {
      engine: await probe(engine, socket(engine)),
      gateway: await probe(`${url}/${token}`, `${socket(url)}/ws/${token}`),
    }
  } finally {
    await gateway.end('SIGTERM')
    await folder.remove()
  }
}

async function probe(url: string, webSocketUrl: string): Promise<MethodTable> {
  const program = join(repository, 'packages/gateway/src/bin.ts')
  const { stdout } = await run(
    process.execPath,
    ['--conditions=@fairlead/source', program, 'probe', '--json', '--timeout', '60000'],
    {
      env: {
        PATH: process.env['PATH'],
        FAIRLEAD_NODE_URL: url,
        FAIRLEAD_NODE_WEBSOCKET_URL: webSocketUrl,
      },
      maxBuffer: 16 * 1024 * 1024,
    },
  )
  const report = JSON.parse(stdout) as Report
  const table: Record<string, Record<string, string>> = {}
  for (const { method, transport, outcome, code, note } of report.methods) {
    const detail = outcome === 'missing' ? '' : note
    const texts = [outcome, code === null ? '' : String(code), detail].filter((text) => text !== '')
    ;(table[method] ??= {})[transport] = texts.join(' ')
  }
  return { clientVersion: report.node.clientVersion, methods: table }
}

/** A table in its stored form: one line for each method, so that a change affects one line. */
export function tableText(table: MethodTable): string {
  const lines = Object.entries(table.methods).map(([name, outcomes]) => {
    const cells = Object.entries(outcomes).map(([transport, text]) => `"${transport}": "${text}"`)
    return `    "${name}": { ${cells.join(', ')} }`
  })
  return [
    '{',
    `  "clientVersion": "${table.clientVersion}",`,
    '  "methods": {',
    lines.join(',\n'),
    '  }',
    '}',
    '',
  ].join('\n')
}

/** Reads the stored tables. */
export function readTables(): MethodTables {
  const readTable = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as MethodTable
  return { engine: readTable(tableFiles.engine), gateway: readTable(tableFiles.gateway) }
}

const clients = ['geth', 'erigon', 'reth', 'anvil', 'high-throughput'] as const

/** Generates the documentation page from the specification and the tables. */
export function pageText({ engine, gateway }: MethodTables): string {
  const specified = readSpecification()
  const all: readonly Method[] = Object.values(methods)
  const heading = [
    'Method',
    'Description',
    ...clients.map((client) =>
      client === 'high-throughput' ? 'High-throughput chain' : capitalized(client),
    ),
    'Engine, HTTP',
    'Engine, WebSocket',
    'Gateway, HTTP',
    'Gateway, WebSocket',
    'Latency class',
    'Cached by',
    'Units',
  ]
  const rows = all
    .toSorted((left, right) => (left.name < right.name ? -1 : 1))
    .map(({ name, availability }) => [
      `\`${name}\``,
      specified.get(name)?.summary ?? '',
      ...clients.map((client) => (availability?.includes(client) ? 'yes' : '')),
      ...[engine, gateway].flatMap(({ methods: found }) =>
        ['http', 'websocket'].map((transport) => cell(found[name]?.[transport])),
      ),
      ...policyCells(specified.get(name)?.policy),
    ])
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    '# Methods of the EVM interface',
    '',
    `${all.length} methods. For node clients and the high-throughput chain, the availability comes from the specification. For`,
    `the embedded engine (${engine.clientVersion}) and the gateway in front of it, it comes from a probe that calls every`,
    'method with parameters that change nothing. A code after `yes` is the error code of the response: the method exists,',
    'and rejected these parameters. An empty cell means that the method is not available.',
    '',
    'The last columns are how the gateway treats a call. The latency class is `short` when upstreams respond from memory',
    'or by a key. [Caching](caching.md) describes how long a response is cached; identical calls are coalesced wherever the',
    'column is not empty. `Units` is the cost of a call with [`units`](configuration.md) set to `weighted`. An overloaded',
    'gateway rejects the calls marked as expensive first.',
    '',
    '`fairlead probe <node-url>` probes any other node. `GET /v2/nodes/{id}/methods/` returns the last probe result of a',
    'node of the platform.',
    '',
    line(heading),
    line(heading.map(() => '---')),
    ...rows.map(line),
    '',
  ].join('\n')
}

/** How a response is cached, by `kind` of the cache rule. */
const cachedBy: Readonly<Record<string, string>> = {
  none: '',
  params: 'params',
  chain: 'chain',
  block: 'block of the params',
  'self-describing': 'block of the response',
  logs: 'log range',
  head: 'latest block',
  uncacheable: 'not cached',
}

function policyCells(policy: Policy | undefined): readonly string[] {
  const { latencyClass = '', cache, cost } = policy ?? {}
  const cached = cachedBy[cache?.kind ?? '']
  if (cached === undefined || !cost) throw new Error('A method has no policy, or an unknown kind of caching.')
  return [latencyClass, cached, `${cost.units}${cost.isExpensive ? ', expensive' : ''}`]
}

function cell(text: string | undefined): string {
  const [outcome = '', code = ''] = text?.split(' ') ?? []
  if (outcome !== 'available') return ''
  return /^-?\d+$/.test(code) ? `yes, ${code}` : 'yes'
}

function capitalized(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}

/** The policy of the gateway for a method, limited to the fields on the page. */
interface Policy {
  readonly latencyClass: string
  readonly cache: { readonly kind: string }
  readonly cost: { readonly units: number; readonly isExpensive: boolean }
}

interface SpecifiedMethod {
  readonly summary: string
  readonly policy: Policy
}

/** The summary and the policy of each method in the specification. */
function readSpecification(): ReadonlyMap<string, SpecifiedMethod> {
  const folder = join(repository, 'specs/evm/methods')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.yaml'),
  )
  return new Map(
    files.map((file) => {
      const method = parse(readFileSync(join(folder, file), 'utf8')) as {
        readonly name: string
        readonly summary: string
        readonly 'x-gateway': Policy
      }
      const summary = method.summary.replaceAll('|', String.raw`\|`)
      return [method.name, { summary, policy: method['x-gateway'] }]
    }),
  )
}
