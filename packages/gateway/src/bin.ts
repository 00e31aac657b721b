#!/usr/bin/env node
import { FairleadError } from '@fairlead/core'
import { CommanderError } from 'commander'
import { readFileSync } from 'node:fs'
import { CommandFailure, exitCodes } from './cli/exit-codes.ts'
import { createCommandLine } from './command-line.ts'
import type { Configuration } from './configuration/options.ts'
import type { Store } from '@fairlead/platform-server/store/open-store'
import type { ProbeCommand } from '@fairlead/gateway-evm/probe/run-probe'
import { interrupted, Stopped, listenForShutdown } from './processes/shutdown-signal.ts'

const print = (text: string): void => void process.stdout.write(`${text}\n`)
const printNote = (text: string): void => void process.stderr.write(`${text}\n`)

/** Keeps the process alive when its output cannot be written, because the reader has closed it or the disk is full. */
function ignoreOutputErrors(): void {
  process.stdout.on('error', () => undefined)
  process.stderr.on('error', () => undefined)
}

// Each command loads its own modules, so a help text or an argument error does not wait for the whole gateway to load.
async function dev(configuration: Configuration): Promise<void> {
  ignoreOutputErrors()
  const { signal, shutdown } = listenForShutdown(() => print('stopping'))
  const { createLog } = await import('./observe/log.ts')
  const { startDevelopment } = await import('./development/start-development.ts')
  const { welcome } = await import('./development/welcome.ts')
  // A person reads this terminal, so requests are logged only when the log level is configured.
  const log = createLog(configuration.logLevel ?? 'warn')
  const running = await startDevelopment(configuration, log, print, signal)
  print(welcome(running.file, running.filePath, running.tlsUrl))
  await shutdown
  await running.stop()
}

async function serve(configuration: Configuration, read: () => Configuration): Promise<void> {
  ignoreOutputErrors()
  const processes = await import('./processes/serve.ts')
  await processes.serve(configuration, { read, print })
}

async function probe(command: ProbeCommand): Promise<void> {
  const { stderr, stdout } = process
  // A reader that closes the pipe after the first lines has read enough.
  stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  const progress = (line: string) => void (stderr.isTTY && stderr.write(`\r\u001B[K${line}`))
  const { signal } = listenForShutdown(() => progress('stopping'))
  try {
    const { runProbe } = await import('@fairlead/gateway-evm/probe/run-probe')
    const report = await runProbe(command, progress, signal)
    progress('')
    await new Promise<void>((written) => void stdout.write(`${report}\n`, () => written()))
  } catch (error) {
    progress('')
    if (error instanceof Stopped) process.exit(interrupted)
    throw error
  }
}

async function doctor(configuration: Configuration, { json }: { readonly json: boolean }): Promise<void> {
  const { examine } = await import('./doctor/examine.ts')
  const { formatFindings } = await import('./doctor/format-findings.ts')
  const findings = await examine(configuration)
  print(json ? JSON.stringify({ findings }, undefined, 2) : formatFindings(findings))
  if (findings.some(({ state }) => state === 'problem')) process.exit(exitCodes.failed)
}

async function resetOwnerPassword(configuration: Configuration): Promise<void> {
  const { resetOwnerPassword: reset } = await import('@fairlead/platform-server/first-start/owner-password')
  const { createPasswords } = await import('@fairlead/platform-server/sessions/passwords')
  const { email, password } = await withStore(configuration, (store) => reset(store, createPasswords()))
  print(`${email}\t${password}`)
  printNote('The password must be changed at the next sign-in. All sessions of the owner were revoked.')
}

async function backup(configuration: Configuration, file: string): Promise<void> {
  const { writeBackupFile } = await import('@fairlead/platform-server/backup/backup-file')
  const { openExisting } = await import('@fairlead/platform-server/store/open-existing')
  const { databaseUrl, dataDirectory } = configuration
  const database = await openExisting({ databaseUrl, dataDirectory })
  try {
    await writeBackupFile(database, file)
  } finally {
    await database.close()
  }
  printNote(
    `Backup written to ${file}. Its encrypted values can be decrypted only with the same secret key: store the key as well.`,
  )
}

async function restore(configuration: Configuration, file: string): Promise<void> {
  const { restoreBackupFile } = await import('@fairlead/platform-server/backup/backup-file')
  const rows = await withStore(configuration, (store) => restoreBackupFile(store, file))
  printNote(`${rows} records restored.`)
}

async function withStore<result>(
  { databaseUrl, dataDirectory, secretKey }: Configuration,
  run: (store: Store) => Promise<result>,
): Promise<result> {
  const { openStore } = await import('@fairlead/platform-server/store/open-store')
  const store = await openStore({ databaseUrl, dataDirectory, secretKey })
  try {
    return await run(store)
  } finally {
    await store.close()
  }
}

function exitCodeOfError(error: unknown): number {
  if (error instanceof CommandFailure) return error.exitCode
  return FairleadError.is(error, 'CONFIG_INVALID') ? exitCodes.usage : exitCodes.failed
}

function sentence(error: unknown): string {
  if (FairleadError.is(error, 'CONFIG_INVALID')) return `${error.details.option} ${error.details.rule}`
  return error instanceof Error ? error.message : String(error)
}

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
}

try {
  const commands = { dev, serve, doctor, resetOwnerPassword, backup, restore, probe }
  const context = { environment: process.env, terminal: process.stdout.isTTY, print, printNote }
  const program = createCommandLine(commands, context, version)
  await program.parseAsync()
  // All work is done; a leaked handle must not keep the process alive.
  process.exit(0)
} catch (error) {
  if (error instanceof Stopped) process.exit(0)
  // The message has already been printed.
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : exitCodes.usage)
  process.stderr.write(`error: ${sentence(error)}\n`)
  process.exit(exitCodeOfError(error))
}
