import { join } from 'node:path'
import { repository } from '../pages/page.ts'

/** The parts of a command definition that the tests read. */
interface CommandShape {
  name(): string
  readonly commands: readonly CommandShape[]
  readonly options: readonly { readonly long?: string; readonly short?: string; readonly required: boolean }[]
  readonly registeredArguments: readonly { readonly required: boolean; readonly variadic: boolean }[]
}

interface CommandLineModule {
  createCommandLine(commands: object, surroundings: object, version: string): CommandShape
}

// By file path, because the package does not export the command line.
const file = join(repository, 'packages/gateway/src/command-line.ts')
const { createCommandLine } = (await import(/* @vite-ignore */ file)) as CommandLineModule
const program = createCommandLine({}, { environment: {} }, '0.0.0')

/** Returns the problem of the arguments after `fairlead`, if any. */
export function problemOfFairlead(words: readonly string[]): string | undefined {
  let command = program
  let at = 0
  for (; command.commands.length > 0 && at < words.length; at += 1) {
    const word = words[at] ?? ''
    if (word.startsWith('-')) break
    const next = command.commands.find((candidate) => candidate.name() === word)
    if (next === undefined) return `there is no command ${words.slice(0, at + 1).join(' ')}`
    command = next
  }
  const rest = words.slice(at)
  if (command.commands.length > 0 && rest.length === 0 && command !== program)
    return 'the command is not whole'
  const given: string[] = []
  for (let index = 0; index < rest.length; index += 1) {
    const word = rest[index] ?? ''
    if (!/^-\D/.test(word)) {
      given.push(word)
      continue
    }
    const name = word.split('=')[0]
    if (name === '--help' || name === '--version') return undefined
    const option = command.options.find(({ long, short }) => long === name || short === name)
    if (option === undefined) return `${command.name()} has no flag ${name}`
    if (option.required && !word.includes('=')) index += 1
  }
  const { registeredArguments: asked } = command
  const least = asked.filter(({ required }) => required).length
  const most = asked.some(({ variadic }) => variadic) ? Infinity : asked.length
  return given.length < least || given.length > most ? `${command.name()} takes other arguments` : undefined
}
