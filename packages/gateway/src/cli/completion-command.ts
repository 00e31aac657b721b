import { FairleadError } from '@fairlead/core'
import type { Command } from 'commander'
import type { CommandContext } from './add-subcommands.ts'

// Each script calls the program itself, so a script that was installed once also completes the commands of later
// versions.
const scripts: Readonly<Record<string, string>> = {
  bash: `_fairlead() {
  local IFS=$'\\n'
  COMPREPLY=($(fairlead complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _fairlead fairlead`,
  zsh: `#compdef fairlead
_fairlead() {
  local -a found
  found=("\${(@f)$(fairlead complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a found
}
compdef _fairlead fairlead`,
  fish: `complete -c fairlead -f -a '(fairlead complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`,
}

const help = `
  bash   fairlead completion bash > /etc/bash_completion.d/fairlead
  zsh    fairlead completion zsh > "\${fpath[1]}/_fairlead"
  fish   fairlead completion fish > ~/.config/fish/completions/fairlead.fish`

/** Adds the command that prints a completion script for a shell, and the command that such a script calls. */
export function addCompletionCommands(program: Command, { print }: CommandContext): void {
  program
    .command('completion')
    .description('print a completion script for a shell')
    .argument('<shell>', 'bash, zsh or fish')
    .addHelpText('after', help)
    .action((shell: string) => {
      const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
      if (script === undefined) {
        throw new FairleadError('CONFIG_INVALID', { option: 'shell', rule: 'must be bash, zsh or fish' })
      }
      print(script)
    })
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action((typedArguments: readonly string[]) => {
      const found = completions(program, typedArguments)
      if (found.length > 0) print(found.join('\n'))
    })
}

/**
 * Returns the possible completions of the last word.
 *
 * @param program - the command line
 * @param typedArguments - words after `fairlead`; the last word may be incomplete
 */
export function completions(program: Command, typedArguments: readonly string[]): string[] {
  const before = typedArguments.slice(0, -1)
  const prefix = typedArguments.at(-1) ?? ''
  let command = program
  for (const argument of before)
    command = command.commands.find((subcommand) => subcommand.name() === argument) ?? command
  const shown = command.createHelp()
  const flags = shown.visibleOptions(command).flatMap(({ long }) => (long == null ? [] : [long]))
  const names = shown
    .visibleCommands(command)
    .flatMap((subcommand) => (subcommand.name() === 'help' ? [] : [subcommand.name()]))
  const option = command.options.find(({ long }) => long === before.at(-1))
  if (option?.argChoices) return option.argChoices.filter((choice) => choice.startsWith(prefix))
  // The value of a flag cannot be completed.
  if (option?.required) return []
  return (prefix.startsWith('-') ? flags : names).filter((name) => name.startsWith(prefix))
}
