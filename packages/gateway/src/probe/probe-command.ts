import { FairleadError } from '@fairlead/core'
import type { Command } from 'commander'
import { addConnectionFlags, type Surroundings } from '../cli/add-verbs.ts'
import { connectionOf } from '../cli/profiles.ts'
import { refreshMethods } from '../cli/refresh-methods.ts'
import { showAnswer } from '../cli/show-answer.ts'
import type { ProbeCommand } from '@fairlead/gateway-evm/probe/run-probe'

interface Flags {
  readonly refresh?: string
  readonly service?: string
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
The address is a secret when it holds a token or a password; only its scheme and host are ever shown. Other users of
the machine can read a command line, so the addresses may also come from the environment:
  FAIRLEAD_NODE_URL            instead of <node-url>
  FAIRLEAD_NODE_WEBSOCKET_URL  instead of --websocket

Nothing is changed: transactions that are sent cannot be valid, filters and subscriptions are removed again, also
when Ctrl-C ends the probe. It takes about 170 calls on each transport, each method once and some to prepare it; a few
execute a whole block. A provider counts them like any others, and \`--concurrency 1\` is gentle on its rate limits.

Examples:
  fairlead probe http://127.0.0.1:8545
  fairlead probe https://node.example/<token>/evm --websocket wss://node.example/ws/<token>
  fairlead probe https://<user>:<password>@node.example --json > methods.json
  fairlead probe http://127.0.0.1:8545 --method eth_call --method eth_getLogs --repeat 20
  fairlead probe --refresh ND-482-517-093

The exit code is 1 when the node cannot be reached or refuses everything, 130 when the probe was interrupted, else 0.`

/** Adds the command `probe` to the command line. */
export function addProbeCommand(
  program: Command,
  run: (command: ProbeCommand) => Promise<void>,
  { environment, terminal, print, remark }: Surroundings,
): void {
  const command = program
    .command('probe')
    .description('call every method of a node harmlessly and print which ones answer')
    .argument('[node-url]', 'address of the node: http, https, ws or wss')
    .option('--websocket <url>', 'address of its WebSocket, to call the methods there too')
    .option('--json', 'print one JSON object')
    .option('--markdown', 'print a table of Markdown')
    .option('--method <name>', 'call this method only; may be given several times', collect)
    .option(
      '--repeat <n>',
      'how often each method is called; the median time is shown',
      integer('--repeat', 1, 1_000),
      1,
    )
    .option('--concurrency <n>', 'calls under way at once', integer('--concurrency', 1, 64), 4)
    .option('--timeout <ms>', 'longest wait for an answer', integer('--timeout', 1, 600_000), 10_000)
    .option(
      '--refresh <node>',
      'have the gateway probe one of its nodes, by id or name, and print what it found',
    )
    .addHelpText('after', examples)
  addConnectionFlags(command).action(async (nodeUrl: string | undefined, flags: Flags) => {
    const { refresh } = flags
    if (refresh === undefined) return run(commandOf(nodeUrl, flags, environment))
    if (nodeUrl !== undefined) {
      const rule = 'cannot stand beside the URL of a node'
      throw new FairleadError('CONFIG_INVALID', { option: '--refresh', rule })
    }
    const methods = await refreshMethods(connectionOf(flags, environment), refresh)
    const shown = showAnswer(methods, columns, { json: flags.json === true, terminal })
    print(shown.text)
    if (shown.remark !== undefined && terminal) remark(shown.remark)
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
    const rule = 'must be given, here or as FAIRLEAD_NODE_URL'
    throw new FairleadError('CONFIG_INVALID', { option: 'node-url', rule })
  }
  if (json && markdown) {
    throw new FairleadError('CONFIG_INVALID', { option: '--json', rule: 'cannot stand beside --markdown' })
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
    const rule = `must be an integer from ${minimum} to ${maximum}, not this text`
    throw new FairleadError('CONFIG_INVALID', { option, rule })
  }
}
