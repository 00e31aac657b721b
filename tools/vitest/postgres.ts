import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, chownSync, constants, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { reservePort } from './reserved-port.ts'

/** A dedicated PostgreSQL server with one empty database. */
export interface Postgres {
  readonly url: string
  /** Runs a statement with psql. Returns the rows as text. */
  query(statement: string): Promise<string>
  /** Stops the server temporarily. */
  end(): Promise<void>
  /** Starts it again, with its data. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** Folder of the PostgreSQL programs. Undefined if there is none. */
export const postgresPrograms = foldersOfPrograms().find((folder) => {
  try {
    for (const program of ['initdb', 'postgres']) accessSync(join(folder, program), constants.X_OK)
    return true
  } catch {
    return false
  }
})

/** Starts a server on a reserved port. Its files are deleted after its end. */
export async function startPostgres(programs: string): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-postgres-'))
  const user = process.getuid?.() === 0 ? ordinaryUser() : {}
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid ?? user.uid)
  const data = join(folder, 'data')
  const initialize = ['-D', data, '-U', 'fairlead', '--auth=trust', '-E', 'UTF8', '--no-sync']
  await promisify(execFile)(join(programs, 'initdb'), initialize, { ...user, cwd: folder })
  const port = await reservePort()
  const settings = ['-c', 'fsync=off', '-c', 'listen_addresses=127.0.0.1', '-c', 'max_connections=200']
  const url = `postgresql://fairlead@127.0.0.1:${port}/postgres`
  let server: ChildProcess | undefined
  const start = async () => {
    const args = ['-D', data, '-p', String(port), '-k', folder, ...settings]
    const started = spawn(join(programs, 'postgres'), args, {
      ...user,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    server = started
    await new Promise<void>((resolve, reject) => {
      started.stderr.on('data', (chunk: Buffer) => {
        if (chunk.includes('ready to accept connections')) resolve()
      })
      started.once('exit', () => reject(new Error('PostgreSQL has ended.')))
    })
  }
  const end = async () => {
    if (server === undefined) return
    const ended = once(server, 'exit')
    server.kill('SIGINT')
    server = undefined
    await ended
  }
  await start()
  return {
    url,
    query: async (statement) => {
      const args = ['--no-psqlrc', '-tA', '-v', 'ON_ERROR_STOP=1', '-c', statement, url]
      return (await promisify(execFile)(join(programs, 'psql'), args)).stdout.trim()
    },
    end,
    start,
    stop: async () => {
      await end()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function foldersOfPrograms(): string[] {
  const root = '/usr/lib/postgresql'
  const onPath = (process.env['PATH'] ?? '').split(':').filter(Boolean)
  try {
    return [...readdirSync(root).map((version) => join(root, version, 'bin')), ...onPath]
  } catch {
    return onPath
  }
}

// PostgreSQL does not run as root.
function ordinaryUser(): { readonly uid?: number; readonly gid?: number } {
  const line = /^(?:postgres|nobody):[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'))
  return line ? { uid: Number(line[1]), gid: Number(line[2]) } : {}
}
