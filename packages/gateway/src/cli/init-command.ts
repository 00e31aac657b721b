import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { type Option, optionGroups, options } from '../configuration/options.ts'
import type { CommandContext } from './add-subcommands.ts'
import { CommandFailure, exitCodes } from './exit-codes.ts'

const configurationFile = 'fairlead.yaml'
const environmentFile = 'fairlead.env'

const help = `
Options with secrets are copied from environment variables:
  FAIRLEAD_EVM_UPSTREAM=https://node.example/secret fairlead init /etc/fairlead`

/** Adds the command that writes the files of a new gateway. */
export function addInitCommand(program: Command, { environment, print, printNote }: CommandContext): void {
  program
    .command('init')
    .description('write the configuration files of a new gateway')
    .argument('[folder]', 'directory for the files', '.')
    .addHelpText('after', help)
    .action((folder: string) => {
      const files = [configurationFile, environmentFile].map((name) => join(folder, name))
      const [configuration = '', secrets = ''] = files
      const existing = files.filter((file) => existsSync(file))
      if (existing.length > 0) {
        throw new CommandFailure(
          `No files were written because they already exist: ${existing.join(', ')}`,
          exitCodes.conflict,
        )
      }
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      writeFileSync(configuration, configurationText(join(folder, 'data')), { flag: 'wx' })
      writeFileSync(secrets, secretsText(environment), { mode: 0o600, flag: 'wx' })
      // The umask of the process may have removed permissions, but never adds any; a mount may.
      chmodSync(secrets, 0o600)
      const flags = `--config ${configuration} --environment-file ${secrets}`
      print(`${configuration}\n${secrets}`)
      printNote(
        `Next steps:\n  set the URL of your upstream in ${secrets}\n  fairlead doctor ${flags}\n  fairlead serve ${flags}`,
      )
    })
}

/** Every option with its description. All except the data directory are commented out. */
function configurationText(dataDirectory: string): string {
  const written = ([name, { description, fallback }]: [string, Option]) =>
    name === 'dataDirectory'
      ? `# ${description}\n${name}: ${JSON.stringify(dataDirectory)}`
      : `# ${description}\n# ${name}:${fallback === undefined ? '' : ` ${JSON.stringify(fallback)}`}`
  const sections = optionGroups.map(({ title, options: ofGroup }) => {
    const shown = Object.entries(ofGroup).filter(([, { kind }]) => kind !== 'secret')
    return [`# ${title}`, ...shown.map(written)].join('\n\n')
  })
  return `# Configuration of the gateway. Secrets are in ${environmentFile}.\n\n${sections.join('\n\n\n')}\n`
}

function secretsText(environment: CommandContext['environment']): string {
  const lines = (Object.values(options) as Option[])
    .filter(({ kind }) => kind === 'secret')
    .map((option) => {
      const value = environment[option.environment] || generatedValue(option)
      return `# ${option.description}\n${value === undefined ? '# ' : ''}${option.environment}=${quoted(value ?? '')}`
    })
  return `# Secrets of the gateway. Restrict access to this file, and store a copy in a safe place.\n# Put a value that contains # in single quotes.\n\n${lines.join('\n\n')}\n`
}

// What is encrypted with this key can be decrypted with no other key.
function generatedValue({ environment }: Option): string | undefined {
  return environment === options.secretKey.environment ? randomBytes(32).toString('base64') : undefined
}

function quoted(value: string): string {
  return /\s|#/.test(value) ? `'${value}'` : value
}
