import { FairleadError } from '@fairlead/core'
import { Command, Option as CommandOption } from 'commander'
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import type { Configuration, Option, OptionName } from './configuration/options.ts'
import { options } from './configuration/options.ts'
import { parseConfiguration } from './configuration/parse-configuration.ts'
import { addProbeCommand } from './probe/probe-command.ts'
import type { ProbeCommand } from './probe/run-probe.ts'

/** What the commands do; `bin.ts` supplies it. */
export interface Commands {
  /** Runs the service over the embedded chains until it is told to stop. */
  dev(configuration: Configuration): Promise<void>
  /**
   * Runs the service in front of the configured nodes until it is told to stop.
   *
   * @param read - reads the configuration again
   */
  serve(configuration: Configuration, read: () => Configuration): Promise<void>
  /** Calls the methods of a node and prints which ones answer. */
  probe(command: ProbeCommand): Promise<void>
}

const surplusArguments = /(?<=but got \d+): .*/
const anyAddress = /'?[^\s']*(?:[/=@]|:[^\s'])[^\s']*'?/g
const usage = 'Usage: fairlead <dev|serve|probe> [options]; `fairlead <command> --help` lists the options'

/**
 * Makes the command line `fairlead`.
 *
 * Every option of the service is a flag of the same name, but for those that hold a secret: a command line is visible
 * to other users of the machine.
 *
 * @param commands - what to run
 * @param environment - variables such as `process.env`; flags win over them, they win over the files
 * @param version - version of the package
 */
export function createCommandLine(
  commands: Commands,
  environment: Readonly<Record<string, string | undefined>>,
  version: string,
): Command {
  const program = new Command('fairlead')
    .description('Speaks the platform API and the node APIs in front of your own nodes.')
    .version(version)
    .showHelpAfterError(`\n${usage}`)
    // An address in the wrong place may hold a token, and the complaint would quote it.
    .configureOutput({
      outputError: (text, write) => write(text.replace(surplusArguments, '.').replaceAll(anyAddress, '***')),
    })
  const add = (name: string, description: string, run: Commands['serve']) => {
    const command = program.command(name).description(description)
    command.option('-c, --config <file>', 'YAML or JSON file with options by name')
    command.option('-e, --environment-file <file>', 'file with a line NAME=value for each variable')
    for (const [option, definition] of Object.entries(options) as [OptionName, Option][]) {
      if (definition.kind !== 'secret') command.addOption(flag(option, definition))
    }
    command.addHelpText('after', `\n${secretsHelp()}`)
    command.action((values: Record<string, string | undefined>) => {
      const read = () => configurationOf(values, environment)
      return run(read(), read)
    })
  }
  add('dev', 'start over embedded development chains, without credentials or internet', commands.dev)
  add('serve', 'start in front of your own nodes', commands.serve)
  addProbeCommand(program, commands.probe, environment)
  return program
}

function flag(name: OptionName, { description, environment, fallback }: Option): CommandOption {
  const parameter = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const fallbackText = fallback === undefined ? '' : `, default ${fallback}`
  return new CommandOption(`--${parameter} <value>`, `${description} (${environment}${fallbackText})`)
}

function secretsHelp(): string {
  const lines = (Object.values(options) as Option[])
    .filter(({ kind }) => kind === 'secret')
    .map(({ environment, description }) => `  ${environment.padEnd(28)} ${description}`)
  return `Only from the environment or the file, as they may hold secrets:\n${lines.join('\n')}\n`
}

function configurationOf(
  { config, environmentFile, ...flags }: Record<string, string | undefined>,
  environment: Readonly<Record<string, string | undefined>>,
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
    const rule = `must be a file that can be read: ${(error as NodeJS.ErrnoException).code}`
    throw new FairleadError('CONFIG_INVALID', { option: file, rule })
  }
}
