import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { FairleadError } from '@fairlead/core'
import type { Command } from 'commander'
import type { CommandContext } from './add-subcommands.ts'
import { CommandFailure, exitCodes } from './exit-codes.ts'
import { defaultProfile, type Profile, readProfiles, writeProfiles } from './profiles.ts'
import { aligned } from './format-response.ts'

const help = `
The key is read from the standard input, so that it does not appear on the command line:
  fairlead profile add --gateway https://gateway.example < key.txt
  fairlead profile add staging --gateway https://staging.example --key-file ~/.keys/staging

The profiles file is readable by its owner only. Without a profile, commands use FAIRLEAD_URL with FAIRLEAD_API_KEY
or FAIRLEAD_API_KEY_FILE, or the gateway started by \`fairlead dev\` in this directory.`

/** Adds the commands that store the URLs and keys of gateways. */
export function addProfileCommands(
  program: Command,
  { environment, terminal, print, printNote }: CommandContext,
): void {
  const group = program
    .command('profile')
    .description('manage profiles: named gateways with a URL and an API key')
  group
    .command('add')
    .description('save the URL and the API key of a gateway')
    .argument('[name]', 'name of the profile', defaultProfile)
    .requiredOption('--gateway <url>', 'URL of the gateway')
    .option(
      '--key-file <file>',
      'file with the key, read on each use; default: the key is read from the standard input',
    )
    .addHelpText('after', help)
    .action((name: string, { gateway, keyFile }: { gateway: string; keyFile?: string }) => {
      const profile: Profile = {
        url: gateway,
        ...(keyFile === undefined ? { key: keyFromInput() } : { keyFile: resolve(keyFile) }),
      }
      const file = writeProfiles(environment, { ...readProfiles(environment), [name]: profile })
      printNote(`profile ${name} saved in ${file}`)
    })
  group
    .command('list')
    .description('list the profiles, without their keys')
    .action(() => {
      const rows = Object.entries(readProfiles(environment)).map(([name, { url }]) => [name, url])
      if (rows.length > 0) print(terminal ? aligned(rows) : rows.map((row) => row.join('\t')).join('\n'))
    })
  group
    .command('remove')
    .description('remove a profile')
    .argument('<name>', 'name of the profile')
    .action((name: string) => {
      const { [name]: removed, ...remaining } = readProfiles(environment)
      if (!removed) throw new CommandFailure('The profile does not exist.', exitCodes.missing)
      writeProfiles(environment, remaining)
    })
}

function keyFromInput(): string {
  const key = process.stdin.isTTY ? '' : readFileSync(0, 'utf8').trim()
  if (/^[!-~]+$/.test(key)) return key
  const rule = 'must contain an API key, as in `fairlead profile add --gateway … < file`; or use --key-file'
  throw new FairleadError('CONFIG_INVALID', { option: 'the standard input', rule })
}
