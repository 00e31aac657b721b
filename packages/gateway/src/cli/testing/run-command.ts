import { FairleadError } from '@fairlead/core'
import { CommanderError } from 'commander'
import { createCommandLine } from '../../command-line.ts'
import { CommandFailure } from '../exit-codes.ts'

/** The output of a command, and its exit code. */
export interface CommandResult {
  readonly out: string
  readonly notes: string
  readonly error: string
  readonly code: number
}

/** Runs one command line as the program does, in this process. */
export async function runCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  terminal = false,
): Promise<CommandResult> {
  const unexpected = () => Promise.reject(new Error('unexpected command'))
  const commands = {
    dev: unexpected,
    serve: unexpected,
    doctor: unexpected,
    resetOwnerPassword: unexpected,
    backup: unexpected,
    restore: unexpected,
    probe: unexpected,
  }
  let out = ''
  let notes = ''
  const surroundings = {
    environment: { HOME: '/nowhere', ...environment },
    terminal,
    print: (text: string) => void (out += `${text}\n`),
    printNote: (text: string) => void (notes += `${text}\n`),
  }
  const program = createCommandLine(commands, surroundings, '1.2.3')
  try {
    await program.parseAsync([...args], { from: 'user' })
    return { out, notes, error: '', code: 0 }
  } catch (error) {
    if (error instanceof CommandFailure) return { out, notes, error: error.message, code: error.exitCode }
    if (FairleadError.is(error, 'CONFIG_INVALID')) {
      return { out, notes, error: `${error.details.option} ${error.details.rule}`, code: 2 }
    }
    if (error instanceof CommanderError) return { out, notes, error: error.message, code: 2 }
    throw error
  }
}
