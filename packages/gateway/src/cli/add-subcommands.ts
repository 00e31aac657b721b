import type { Route } from '@fairlead/core'
import { routes } from '@fairlead/platform-client/contract'
import { type Command, Option } from 'commander'
import { callOperation, type OperationResult, type OperationInput } from './call-operation.ts'
import { type InputFlag, inputFlags, readBody, readFlag } from './input-flags.ts'
import { type Connection, connectionOf } from './profiles.ts'
import { formatResponse } from './format-response.ts'
import { groups, type Subcommand, subcommands } from './subcommands.ts'

/** The output of a command, and its input in addition to the arguments. */
export interface CommandContext {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Whether a person reads the output. */
  readonly terminal: boolean
  /** Writes the requested output. */
  readonly print: (text: string) => void
  /** Writes a note that is not part of the response. */
  readonly printNote: (text: string) => void
}

interface Flags {
  readonly gateway?: string
  readonly profile?: string
  readonly json?: true
  readonly all?: true
  readonly body?: string
  readonly ifMatch?: string
  readonly [name: string]: unknown
}

/** Adds the commands of the platform API. Each consists of a noun, a verb, and flags from the contract. */
export function addSubcommands(program: Command, context: CommandContext): void {
  for (const subcommand of subcommands) addSubcommand(program, subcommand, context)
}

/** Adds the flags that select the gateway of a command. */
export function addConnectionFlags(command: Command): Command {
  return command
    .option('--gateway <url>', 'URL of the gateway (FAIRLEAD_URL)')
    .option('--profile <name>', 'profile to use (FAIRLEAD_PROFILE)')
}

function addSubcommand(program: Command, subcommand: Subcommand, context: CommandContext): void {
  const route: Route = routes[subcommand.operation]
  const inputs = inputFlags(route)
  const parameters = Object.keys(route.pathParameters)
  const command = commandOf(program, subcommand)
  for (const name of parameters) command.argument(`<${name}>`, describePath(route, name))
  for (const input of inputs) command.addOption(optionOf(input))
  if (route.requestBody) command.option('--body <json>', 'request body as JSON, or @file')
  if (isList(route)) command.option('--all', 'read all pages')
  if (route.headers && 'If-Match' in route.headers) {
    command.option('--if-match <etag>', 'change the object only if its ETag still matches')
  }
  addConnectionFlags(command).option('--json', 'print the response as JSON')
  command.addHelpText('after', `\n${route.method} ${route.path}${scopesOf(route)}`)
  command.action(async (...received: unknown[]) => {
    const values = received.slice(0, parameters.length) as string[]
    const flags = command.opts<Flags>()
    const input = {
      ...inputOf(inputs, flags),
      path: Object.fromEntries(parameters.map((name, at) => [name, values[at] ?? ''])),
    }
    const connection = connectionOf(flags, context.environment)
    const { body } = await (flags.all
      ? allPages(connection, subcommand, input)
      : callOperation(connection, subcommand.operation, input))
    const { terminal, print, printNote } = context
    const output = formatResponse(body, subcommand.columns ?? [], { json: flags.json === true, terminal })
    if (output.text !== '') print(output.text)
    if (output.note !== undefined && terminal) printNote(output.note)
  })
}

/** Returns the command at the end of a verb's words. Creates the groups before it when they are missing. */
function commandOf(program: Command, { words, summary }: Subcommand): Command {
  const names = words.split(' ')
  const last = names.pop() ?? words
  let parent = program
  for (const name of names) {
    parent =
      parent.commands.find((command) => command.name() === name) ??
      parent.command(name).description(groups[name] ?? `${name} ${groups[parent.name()] ?? ''}`.trim())
  }
  return parent.command(last).description(summary)
}

function optionOf({ flag, kind, required, repeated }: InputFlag): Option {
  const option = new Option(
    `--${flag} <value>`,
    `${kind}${required ? '; required' : ''}${repeated ? '; repeatable' : ''}`,
  )
  return repeated
    ? option.argParser((text, before: readonly string[] | undefined) => [...(before ?? []), text])
    : option
}

function inputOf(inputs: readonly InputFlag[], flags: Flags): OperationInput {
  const query: Record<string, string> = {}
  const fields: Record<string, unknown> = {}
  for (const input of inputs) {
    const received = flags[camelCase(input.flag)] as string | readonly string[] | undefined
    if (received === undefined) continue
    if (input.location === 'query') query[input.name] = String(received)
    else fields[input.name] = readFlag(input, received)
  }
  const bodyFlag = flags.body === undefined ? undefined : readBody(flags.body)
  const hasFields = Object.keys(fields).length > 0 || inputs.some(({ location }) => location === 'body')
  const body =
    bodyFlag === undefined ? (hasFields ? fields : undefined) : { ...(bodyFlag as object), ...fields }
  return { query, body, ifMatch: flags.ifMatch }
}

async function allPages(
  connection: Connection,
  { operation }: Subcommand,
  input: OperationInput,
): Promise<OperationResult> {
  const results: unknown[] = []
  let response: Record<string, unknown> = {}
  for (let page = 1; ; page += 1) {
    const { body } = await callOperation(connection, operation, {
      ...input,
      query: { ...input.query, page: String(page) },
    })
    response = body as Record<string, unknown>
    results.push(...(response['results'] as unknown[]))
    if (response['next'] === null) break
  }
  return { body: { ...response, previous: null, results }, etag: null }
}

function isList(route: Route): boolean {
  return 'page' in route.query
}

function describePath(route: Route, name: string): string {
  const before =
    route.path
      .slice(0, route.path.indexOf(`{${name}}`))
      .split('/')
      .filter(Boolean)
      .at(-1) ?? ''
  return `id in ${before.replaceAll('-', ' ')}`
}

function scopesOf({ scopes = [] }: Route): string {
  return scopes.length === 0 ? '' : `, requires ${scopes.join(', ')}`
}

function camelCase(flag: string): string {
  return flag.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}
