import { FairleadError } from '@fairlead/core'
import type { Command } from 'commander'
import { addConnectionFlags, type CommandContext } from '../cli/add-subcommands.ts'
import { connectionOf } from '../cli/profiles.ts'
import { refreshMethods } from '../cli/refresh-methods.ts'
import { formatResponse } from '../cli/format-response.ts'
import type { ProbeCommand } from '@fairlead/gateway-evm/probe/run-probe'

interface Flags {
  readonly refresh?: string
  readonly gateway?: string
  readonly profile?: string
  readonly websocket?: string
  readonly json?: true
  readonly markdown?: true
  readonly method?: readonly string[]
  readonly repeat: number
  readonly concurrency: number
  readonly timeout: number
}

const examples = `
A URL with a token or a password is a secret; only its scheme and host are shown. Other users of the machine can read
command lines, so the URLs can also be set by environment variables:
  FAIRLEAD_NODE_URL            instead of <node-url>
  FAIRLEAD_NODE_WEBSOCKET_URL  instead of --websocket

The probe does not change state: it sends only invalid transactions, and removes its filters and subscriptions, also
after Ctrl-C. It sends about 170 calls per transport: one per method, and some to prepare parameters. A few calls
execute a whole block. The calls count toward the rate limits of a provider; \`--concurrency 1\` reduces the rate.

Examples:
  fairlead probe http://127.0.0.1:8545
  fairlead probe https://node.example/<token>/evm --websocket wss://node.example/ws/<token>
  fairlead probe https://<user>:<password>@node.example --json > methods.json
  fairlead probe http://127.0.0.1:8545 --method eth_call --method eth_getLogs --repeat 20
  fairlead probe --refresh ND-482-517-093

The exit code is 1 when the node is unreachable or rejects all calls, 130 after an interruption, and otherwise 0.`

/** Adds the command `probe` to the command line. */
export function addProbeCommand(
  program: Command,
  run: (command: ProbeCommand) => Promise<void>,
  { environment, terminal, print, printNote }: CommandContext,
): void {
  const command = program
    .command('probe')
    .description('call every method of a node without side effects and print the supported ones')
    .argument('[node-url]', 'URL of the node: http, https, ws or wss')
    .option('--websocket <url>', 'WebSocket URL of the node, to probe this transport as well')
    .option('--json', 'print one JSON object')
    .option('--markdown', 'print a Markdown table')
    .option('--method <name>', 'probe only this method; repeatable', collect)
    .option(
      '--repeat <n>',
      'number of calls per method; the median latency is shown',
      integer('--repeat', 1, 1_000),
      1,
    )
    .option('--concurrency <n>', 'maximum number of concurrent calls', integer('--concurrency', 1, 64), 4)
    .option('--timeout <ms>', 'timeout per call, in milliseconds', integer('--timeout', 1, 600_000), 10_000)
    .option(
      '--refresh <node>',
      'make the gateway probe one of its nodes, by id or name, and print the result',
    )
    .addHelpText('after', examples)
  addConnectionFlags(command).action(async (nodeUrl: string | undefined, flags: Flags) => {
    const { refresh } = flags
    if (refresh === undefined) return run(commandOf(nodeUrl, flags, environment))
    if (nodeUrl !== undefined) {
      const rule = 'cannot be combined with a node URL'
      throw new FairleadError('CONFIG_INVALID', { option: '--refresh', rule })
    }
    const methods = await refreshMethods(connectionOf(flags, environment), refresh)
    const output = formatResponse(methods, columns, { json: flags.json === true, terminal })
    print(output.text)
    if (output.note !== undefined && terminal) printNote(output.note)
    return undefined
  })
}

const columns = ['method', 'transport', 'available', 'latency_ms', 'note']

function commandOf(
  nodeUrl: string | undefined,
  { json, markdown, websocket, method = [], repeat, concurrency, timeout }: Flags,
  environment: Readonly<Record<string, string | undefined>>,
): ProbeCommand {
  const url = nodeUrl ?? environment['FAIRLEAD_NODE_URL']
  if (url === undefined || url === '') {
    const rule = 'must be set, as an argument or as FAIRLEAD_NODE_URL'
    throw new FairleadError('CONFIG_INVALID', { option: 'node-url', rule })
  }
  if (json && markdown) {
    throw new FairleadError('CONFIG_INVALID', {
      option: '--json',
      rule: 'cannot be combined with --markdown',
    })
  }
  return {
    url,
    // A WebSocket URL of another upstream would not match the URL on the command line.
    webSocketUrl:
      websocket ?? (nodeUrl === undefined ? environment['FAIRLEAD_NODE_WEBSOCKET_URL'] : undefined),
    format: json ? 'json' : markdown ? 'markdown' : 'table',
    methods: method,
    repeat,
    concurrency,
    timeoutMs: timeout,
  }
}

function collect(name: string, names: readonly string[] = []): readonly string[] {
  return [...names, name]
}

function integer(option: string, minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    if (value >= minimum && value <= maximum) return value
    const rule = `must be an integer from ${minimum} to ${maximum}, not this string`
    throw new FairleadError('CONFIG_INVALID', { option, rule })
  }
}
