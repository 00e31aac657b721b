#!/usr/bin/env node
import { FairleadError } from '@fairlead/core'
import { readFileSync } from 'node:fs'
import { createCommandLine } from './command-line.ts'
import type { Configuration } from './configuration/options.ts'
import { ensureFirstStart } from './control/bootstrap.ts'
import { openStore } from './control/store/open-store.ts'
import { startDevelopment } from './development/start-development.ts'
import { welcome } from './development/welcome.ts'
import { createLog } from './observe/log.ts'
import { type ProbeCommand, runProbe } from './probe/run-probe.ts'
import { startGateway } from './start-gateway.ts'

// What a shell reports of a program that was ended by Ctrl-C.
const interrupted = 130

const print = (text: string): void => void process.stdout.write(`${text}\n`)

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once. */
function untilToldToStop(hear = () => print('stopping')): {
  readonly signal: AbortSignal
  readonly told: Promise<void>
} {
  const controller = new AbortController()
  const told = new Promise<void>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) {
      process.on(name, () => {
        if (controller.signal.aborted) process.exit(interrupted)
        hear()
        controller.abort(new Stopped())
        resolve()
      })
    }
  })
  return { signal: controller.signal, told }
}

class Stopped extends Error {}

async function dev(configuration: Configuration): Promise<void> {
  const { signal, told } = untilToldToStop()
  // A person reads this terminal: a line for each request only when it was asked for.
  const log = createLog(configuration.logLevel ?? 'warn')
  const running = await startDevelopment(configuration, log, print, signal)
  print(welcome(running.file, running.filePath))
  await told
  await running.stop()
}

async function serve(configuration: Configuration): Promise<void> {
  const { told } = untilToldToStop()
  const { evmUpstream, evmWebSocketUpstream, network, databaseUrl, dataDirectory, publicUrl } = configuration
  if (evmUpstream === undefined || !URL.canParse(evmUpstream)) {
    const rule = 'must be the address of an EVM node; `fairlead dev` needs none'
    throw new FairleadError('CONFIG_INVALID', { option: 'FAIRLEAD_EVM_UPSTREAM', rule })
  }
  const log = createLog(configuration.logLevel ?? 'info')
  const store = await openStore({ databaseUrl, dataDirectory, log })
  try {
    const upstreams = { evm: evmUpstream, ...(evmWebSocketUpstream && { websocket: evmWebSocketUpstream }) }
    const first = await ensureFirstStart(store, { upstreams, network })
    const gateway = await startGateway(configuration, { store, log })
    print(`Fairlead is running at ${publicUrl ?? gateway.url}`)
    if (first.created) {
      print('\nThese are shown once. Keep them:')
      print(`  API key    ${first.apiKey}\n  token      ${first.token}\n  username   ${first.username}`)
      print(`  password   ${first.password}\n`)
    }
    await told
    await gateway.stop()
  } finally {
    await store.close()
  }
}

async function probe(command: ProbeCommand): Promise<void> {
  const { stderr, stdout } = process
  // Whoever reads the first lines only has read enough.
  stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  const progress = (line: string) => void (stderr.isTTY && stderr.write(`\r\u001B[K${line}`))
  const { signal } = untilToldToStop(() => progress('stopping'))
  try {
    const report = await runProbe(command, progress, signal)
    progress('')
    await new Promise<void>((written) => void stdout.write(`${report}\n`, () => written()))
  } catch (error) {
    progress('')
    if (error instanceof Stopped) process.exit(interrupted)
    throw error
  }
}

function sentence(error: unknown): string {
  if (FairleadError.is(error, 'CONFIG_INVALID')) return `${error.context.option} ${error.context.rule}`
  return error instanceof Error ? error.message : String(error)
}

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
}

try {
  await createCommandLine({ dev, serve, probe }, process.env, version).parseAsync()
  // Nothing is left to wait for; a handle that somebody forgot must not keep the process.
  process.exit(0)
} catch (error) {
  if (error instanceof Stopped) process.exit(0)
  process.stderr.write(`error: ${sentence(error)}\n`)
  process.exit(1)
}
