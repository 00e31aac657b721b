import { FairleadError } from '@fairlead/core'
import { CommanderError } from 'commander'
import { createCommandLine } from '../../command-line.ts'
import { CommandFailure } from '../exit-codes.ts'

/** The output of a command, and its exit code. */
export interface Ran {
  readonly out: string
  readonly remarks: string
  readonly error: string
  readonly code: number
}

/** Runs one command line as the program does, in this process. */
export async function runCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  terminal = false,
): Promise<Ran> {
  const other = () => Promise.reject(new Error('not asked for'))
  const commands = {
    dev: other,
    serve: other,
    doctor: other,
    resetOwnerPassword: other,
    backup: other,
    restore: other,
    probe: other,
  }
  let out = ''
  let remarks = ''
  const surroundings = {
    environment: { HOME: '/nowhere', ...environment },
    terminal,
    print: (text: string) => void (out += `${text}\n`),
    remark: (text: string) => void (remarks += `${text}\n`),
  }
  const program = createCommandLine(commands, surroundings, '1.2.3')
  try {
    await program.parseAsync([...args], { from: 'user' })
    return { out, remarks, error: '', code: 0 }
  } catch (error) {
    if (error instanceof CommandFailure) return { out, remarks, error: error.message, code: error.exitCode }
    if (FairleadError.is(error, 'CONFIG_INVALID')) {
      return { out, remarks, error: `${error.context.option} ${error.context.rule}`, code: 2 }
    }
    if (error instanceof CommanderError) return { out, remarks, error: error.message, code: 2 }
    throw error
  }
}
