/** Runs an example against the gateway of `npm start`, or against the node that NODE_URL names. See README.md. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The description of a chain in `.fairlead/dev.json`. */
interface DevelopmentNode {
  readonly chain: string
  readonly node_url: string
  readonly token: string
  /** The credential of gRPC. */
  readonly x_token?: string
  /** The file with the sample data of the chain. */
  readonly example?: Readonly<Record<string, string>>
}

interface Example {
  readonly shows: string
  /**
   * The chain that the example reads. An example without one triggers activity on the embedded chains, and does nothing
   * on other chains.
   */
  readonly chain?: 'evm' | 'jetton' | 'solana'
  /** Variables that the example reads in addition to NODE_URL and NODE_TOKEN, from the sample data of the chain. */
  readonly variables?: Readonly<
    Record<string, (data: Readonly<Record<string, string>>) => string | undefined>
  >
}

const examples: Readonly<Record<string, Example>> = {
  'token-dashboard': {
    shows: 'an ERC-20 token, balances and latest transfers, with every block',
    chain: 'evm',
    variables: {
      TOKEN_ADDRESS: ({ contract }) => contract,
      ACCOUNTS: ({ account, recipient }) => `${account},${recipient}`,
    },
  },
  indexer: {
    shows: 'transfers of a token in SQLite, correct after reorganizations and restarts',
    chain: 'evm',
    variables: { TOKEN_ADDRESS: ({ contract }) => contract },
  },
  'burn-watcher': {
    shows: 'burns of a jetton since a time, then live',
    chain: 'jetton',
    variables: { JETTON_MASTER: ({ jetton_master }) => jetton_master },
  },
  'solana-stream': {
    shows: 'blocks and transactions of Solana, without a gap when the connection drops',
    chain: 'solana',
  },
  'react-live-heads': {
    shows: 'a React page with the latest blocks, over a WebSocket',
    chain: 'evm',
  },
  activity: {
    shows: 'triggers activity on the embedded chains: transfers, a reorganization, a burn',
  },
}

/** An error that the caller can fix. Printed without a stack trace. */
class UsageError extends Error {
  override readonly name = 'UsageError'
}

const developmentFile = join('.fairlead', 'dev.json')

const [name, ...args] = process.argv.slice(2)
// The reader of the output may close the pipe early, as `head` does.
process.stdout.on('error', (error) => {
  if (codeOf(error) === 'EPIPE') process.exit(0)
  console.error(messageOf(error))
  process.exit(1)
})
try {
  if (name === undefined || name === '--help') console.log(usage())
  else await run(name)
} catch (error) {
  const isUsage = error instanceof UsageError || codeOf(error).startsWith('ERR_PARSE_ARGS')
  console.error(messageOf(error))
  if (isUsage && !(error instanceof UsageError))
    console.error(`npm run example -- ${name} --help prints more`)
  process.exit(isUsage ? 2 : 1)
}

async function run(example: string): Promise<void> {
  const definition = Object.hasOwn(examples, example) ? examples[example] : undefined
  if (!definition) throw new UsageError(`There is no example of this name.\n\n${usage()}`)
  const folder = join(import.meta.dirname, example)
  if (args.includes('--help')) return console.log(readFileSync(join(folder, 'README.md'), 'utf8').trimEnd())
  Object.assign(process.env, await variablesOf(example, definition))
  process.argv = [...process.argv.slice(0, 2), ...args]
  await import(pathToFileURL(join(folder, `${example}.ts`)).href)
}

async function variablesOf(
  example: string,
  { chain, variables = {} }: Example,
): Promise<Record<string, string>> {
  const { env } = process
  if (env['NODE_URL'] && chain) {
    const missing = ['NODE_TOKEN', ...Object.keys(variables)].filter((variable) => !env[variable])
    if (missing.length === 0) return {}
    throw new UsageError(
      `With NODE_URL, ${example} needs ${missing.join(' and ')} in the environment as well.`,
    )
  }
  const nodes = await developmentNodes()
  if (!chain) return {}
  const node = nodes.find((candidate) => candidate.chain === chain)
  if (!node) throw new UsageError(`The gateway runs without the ${chain} chain, which this example requires.`)
  const values: Record<string, string> = {
    NODE_URL: node.node_url,
    NODE_TOKEN: chain === 'solana' ? (node.x_token ?? '') : node.token,
  }
  for (const [variable, read] of Object.entries(variables)) {
    values[variable] = env[variable] ?? read(node.example ?? {}) ?? ''
  }
  return values
}

async function developmentNodes(): Promise<readonly DevelopmentNode[]> {
  let text: string
  try {
    text = readFileSync(developmentFile, 'utf8')
  } catch {
    throw new UsageError(
      `There is no ${developmentFile} in this folder: run npm start here in another terminal, and wait until it prints that Fairlead is running.`,
    )
  }
  const { base_url: url, nodes }: { base_url: string; nodes: readonly DevelopmentNode[] } = JSON.parse(text)
  const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(30_000) }).catch(
    () => undefined,
  )
  if (!response?.ok) {
    throw new UsageError(
      `No response from ${url}, the URL of the gateway in ${developmentFile}: run npm start in another terminal.`,
    )
  }
  return nodes
}

function usage(): string {
  const lines = Object.entries(examples).map(([title, { shows }]) => `  ${title.padEnd(18)}${shows}`)
  return `npm run example -- <name> [options]

${lines.join('\n')}

Each runs against the gateway of npm start. All but activity run against any other node as well, with NODE_URL
and NODE_TOKEN in the environment. npm run example -- <name> --help describes its output and options.`
}

/** Returns the message of the innermost cause. Libraries in between add many lines. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const isFairleadError = error.name === 'FairleadError'
  return error.cause instanceof Error && !isFairleadError ? messageOf(error.cause) : error.message
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
