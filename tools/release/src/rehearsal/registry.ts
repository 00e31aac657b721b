import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { runProgram } from '../run-program.ts'

/** The registry that replaces that of npm. */
const verdaccio = 'verdaccio@6.10.4'

/** A version of a package as a registry describes it. */
export interface PublishedVersion {
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly spec?: { readonly family: string; readonly version: string }
  readonly exports?: unknown
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly dist: { readonly tarball: string }
}

/** All versions of a package. */
export interface PublishedPackage {
  readonly 'dist-tags': Readonly<Record<string, string>>
  readonly versions: Readonly<Record<string, PublishedVersion>>
}

/** A private registry on this machine. */
export interface Registry {
  readonly url: string
  /** Lines for an `.npmrc` that direct only our packages to this registry. */
  readonly settings: string
  /** Reads a package from the registry. Undefined if it was never published. */
  read(name: string): Promise<PublishedPackage | undefined>
  stop(): Promise<void>
}

/**
 * Installs a registry into a folder and starts it, with one user that may publish.
 *
 * @throws Error with its log when it does not respond within a minute
 */
export async function startRegistry(folder: string): Promise<Registry> {
  await mkdir(folder)
  // One of its packages depends on this one by a tag, whose version may change.
  const manifest = { name: 'registry', private: true, overrides: { 'node-fetch': '2.7.0' } }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  const installFlags = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
  await runProgram(folder, 'npm', 'install', '--save-exact', ...installFlags, verdaccio)
  // It serves only our packages. Everything else comes from the configured registry of this machine.
  const configuration = {
    storage: join(folder, 'storage'),
    auth: { htpasswd: { file: join(folder, 'htpasswd') } },
    packages: { '@fairlead/*': { access: '$all', publish: '$authenticated' } },
    max_body_size: '100mb',
    log: { type: 'stdout', format: 'pretty', level: 'warn' },
  }
  const file = join(folder, 'config.yaml')
  await writeFile(file, JSON.stringify(configuration))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const logFile = join(folder, 'registry.log')
  const log = openSync(logFile, 'w')
  const program = join(folder, 'node_modules/verdaccio/bin/verdaccio')
  const args = [program, '--config', file, '--listen', url.slice('http://'.length)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', log, log] })
  closeSync(log)
  const stop = async () => {
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  let token: string
  try {
    await waitForResponse(url, child)
    token = await addUser(url)
  } catch (error) {
    await stop()
    const text = await readFile(logFile, 'utf8')
    throw new Error(`${(error as Error).message}; its log:\n${text}`, { cause: error })
  }
  return {
    url,
    settings: `@fairlead:registry=${url}/\n//127.0.0.1:${port}/:_authToken=${token}\n`,
    async read(name) {
      const response = await fetch(`${url}/${name.replace('/', '%2f')}`)
      if (response.status === 404) return undefined
      if (!response.ok) throw new Error(`the registry responded with ${response.status} for ${name}`)
      return (await response.json()) as PublishedPackage
    },
    stop,
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function waitForResponse(url: string, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 240; attempt += 1) {
    if (child.exitCode !== null || child.signalCode !== null) break
    const isReady = await fetch(`${url}/-/ping`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return
    await setTimeout(250)
  }
  throw new Error('the registry does not respond')
}

async function addUser(url: string): Promise<string> {
  const user = { name: 'rehearsal', password: crypto.randomUUID(), email: 'rehearsal@fairlead.dev' }
  const response = await fetch(`${url}/-/user/org.couchdb.user:${user.name}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(user),
  })
  const { token } = (await response.json()) as { readonly token?: string }
  if (token === undefined)
    throw new Error(`the registry responded with ${response.status} instead of a token`)
  return token
}
