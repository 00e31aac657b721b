import { FairleadError } from '@fairlead/core'
import { Command, Option as CommandOption } from 'commander'
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { type CommandContext, addSubcommands } from './cli/add-subcommands.ts'
import { addCallCommand } from './cli/call-command.ts'
import { addCompletionCommands } from './cli/completion-command.ts'
import { addInitCommand } from './cli/init-command.ts'
import { addProfileCommands } from './cli/profile-command.ts'
import type { Configuration, Option, OptionName } from './configuration/options.ts'
import { options, optionGroups } from './configuration/options.ts'
import { parseConfiguration } from './configuration/parse-configuration.ts'
import { addProbeCommand } from './probe/probe-command.ts'
import type { ProbeCommand } from '@fairlead/gateway-evm/probe/run-probe'

/** Implementations of the commands; `bin.ts` supplies them. */
export interface Commands {
  /** Runs the gateway with the embedded chains until a shutdown signal. */
  dev(configuration: Configuration): Promise<void>
  /**
   * Runs the gateway in front of the configured upstreams until a shutdown signal.
   *
   * @param read - reads the configuration again
   */
  serve(configuration: Configuration, read: () => Configuration): Promise<void>
  /** Checks what the gateway needs, and prints the problems. */
  doctor(configuration: Configuration, flags: { readonly json: boolean }): Promise<void>
  /** Sets a new password for the owner. */
  resetOwnerPassword(configuration: Configuration): Promise<void>
  /** Writes all records of a gateway to a file. */
  backup(configuration: Configuration, file: string): Promise<void>
  /** Imports the records of a backup into an empty database. */
  restore(configuration: Configuration, file: string): Promise<void>
  /** Calls the methods of an upstream and prints which ones respond. */
  probe(command: ProbeCommand): Promise<void>
}

const surplusArguments = /(?<=but got \d+): .*/
const anyAddress = /'?[^\s']*(?:[/=@]|:[^\s'])[^\s']*'?/g
const usage = 'Usage: fairlead <command> [options]; `fairlead --help` lists the commands'

/**
 * Creates the `fairlead` command line.
 *
 * Every option of the gateway is a flag of the same name, except options that hold a secret: a command line is visible
 * to other users of the machine.
 *
 * @param commands - implementations of the commands
 * @param context - the environment (flags take precedence over it, and it takes precedence over the files), and
 * the output
 * @param version - version of the package
 */
export function createCommandLine(commands: Commands, context: CommandContext, version: string): Command {
  const { environment } = context
  const program = new Command('fairlead')
    .description('Gateway for blockchain nodes, with a platform API and commands for it.')
    .version(version)
    .exitOverride()
    .showHelpAfterError(`\n${usage}`)
    // A misplaced URL may hold a token, and the error message would quote it.
    .configureOutput({
      outputError: (text, write) => write(text.replace(surplusArguments, '.').replaceAll(anyAddress, '***')),
    })
  addGatewayCommands(program, commands, environment)
  addProbeCommand(program, commands.probe, context)
  addInitCommand(program, context)
  addSubcommands(program, context)
  addCallCommand(program, context)
  addProfileCommands(program, context)
  addCompletionCommands(program, context)
  return program
}

/** Adds the commands that use the configuration of a gateway. */
function addGatewayCommands(program: Command, commands: Commands, environment: Environment): void {
  const add = (name: string, description: string) => {
    const command = program.command(name).description(description)
    command.option('-c, --config <file>', 'YAML or JSON file with option names as keys')
    command.option(
      '-e, --environment-file <file>',
      'file with environment variables, one NAME=value per line',
    )
    for (const group of optionGroups) {
      for (const [option, definition] of Object.entries(group.options)) {
        if (definition.kind === 'secret') continue
        command.addOption(flag(option, definition).helpGroup(`${group.title}:`))
      }
    }
    return command.addHelpText('after', `\n${secretsHelp()}`)
  }
  const configured = (values: Flags) => configurationOf(values, environment)
  add('dev', 'start with embedded development chains, without upstreams or internet access').action(
    (values: Flags) => commands.dev(configured(values)),
  )
  add('serve', 'start in front of the configured upstreams').action((values: Flags) => {
    const read = () => configured(values)
    return commands.serve(read(), read)
  })
  add('doctor', 'check machine, ports, certificate, database, shared store and upstreams, and report fixes')
    .option('--json', 'print one JSON object')
    .action(({ json, ...values }: Flags & { json?: true }) =>
      commands.doctor(configured(values), { json: json === true }),
    )
  add('reset-owner-password', 'set a new console password for the owner; it is shown once').action(
    (values: Flags) => commands.resetOwnerPassword(configured(values)),
  )
  add('backup', 'write all records to a file; the embedded database must not be in use')
    .argument('<file>', 'file to write')
    .action((file: string, values: Flags) => commands.backup(configured(values), file))
  add('restore', 'restore the records of a backup into an empty database')
    .argument('<file>', 'file written by `fairlead backup`')
    .action((file: string, values: Flags) => commands.restore(configured(values), file))
}

type Environment = CommandContext['environment']
type Flags = Record<string, string | undefined>

function flag(name: string, { description, environment, fallback }: Option): CommandOption {
  const parameter = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const fallbackText = fallback === undefined ? '' : `, default ${fallback}`
  return new CommandOption(`--${parameter} <value>`, `${description} (${environment}${fallbackText})`)
}

function secretsHelp(): string {
  const lines = (Object.values(options) as Option[])
    .filter(({ kind }) => kind === 'secret')
    .map(({ environment, description }) => `  ${environment.padEnd(28)} ${description}`)
  return `Set only by environment variables or in the file, because they may contain secrets:\n${lines.join('\n')}\n`
}

function configurationOf(
  { config, environmentFile, ...flags }: Flags,
  environment: Environment,
): Configuration {
  const written = environmentFile === undefined ? {} : parseEnv(textOf(environmentFile))
  const merged: Record<string, string | undefined> = { ...written, ...environment }
  for (const [name, value] of Object.entries(flags)) merged[options[name as OptionName].environment] = value
  return parseConfiguration(merged, config === undefined ? undefined : { name: config, text: textOf(config) })
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const rule = `must be a readable file: ${(error as NodeJS.ErrnoException).code}`
    throw new FairleadError('CONFIG_INVALID', { option: file, rule })
  }
}
