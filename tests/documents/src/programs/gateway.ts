import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { copyEmptyDatabase } from '@fairlead/vitest/database-template'
import { startServerProcess } from '@fairlead/vitest/server-process'
import { repository } from '../pages/page.ts'

/** The gateway of `npm start`, which the programs and commands of the pages call. */
export interface RunningGateway {
  /** Its working directory, with `.fairlead/dev.json`. */
  readonly folder: string
  readonly url: string
  /** Its output so far. */
  readonly output: string
  /** The environment of a reader who follows the pages. */
  readonly environment: Readonly<Record<string, string>>
  stop(): Promise<void>
}

interface DevelopmentFile {
  readonly base_url: string
  readonly api_key: string
  readonly nodes: readonly { readonly token: string; readonly x_token?: string }[]
}

/** The default URL of the gateway, which the pages name. */
const defaultUrl = 'http://127.0.0.1:8645'

/** Starts the gateway in a separate folder. */
export async function startGateway(): Promise<RunningGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-documents-'))
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 5 })
  try {
    return await startIn(folder, remove)
  } catch (error) {
    await remove()
    throw error
  }
}

async function startIn(folder: string, remove: () => Promise<void>): Promise<RunningGateway> {
  await copyEmptyDatabase(join(folder, '.fairlead'))
  const programs = join(folder, 'bin')
  mkdirSync(programs)
  const main = join(repository, 'packages/gateway/src/bin.ts')
  const command = join(programs, 'fairlead')
  // Optimized compilation of WebAssembly takes longer than the tests run.
  writeFileSync(command, `#!/bin/sh\nexec node --liftoff-only --conditions=@fairlead/source ${main} "$@"\n`)
  chmodSync(command, 0o755)
  const environment = {
    PATH: [programs, join(repository, 'node_modules/.bin'), process.env['PATH']].join(delimiter),
    HOME: folder,
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
  }
  const { end, output } = await startServerProcess({
    program: command,
    args: ['dev'],
    cwd: folder,
    env: { ...environment, FAIRLEAD_PORT: '0', FAIRLEAD_PROBE_NODES: 'false' },
    ready: /Fairlead is running[^]*Ctrl-C/,
  })
  const file = JSON.parse(readFileSync(join(folder, '.fairlead/dev.json'), 'utf8')) as DevelopmentFile
  const [node] = file.nodes
  const stopMining = mineBlocks(readFileSync(join(folder, '.fairlead/evm/port'), 'utf8').trim())
  return {
    folder,
    url: file.base_url,
    output: output().replaceAll(file.base_url, defaultUrl),
    environment: {
      ...environment,
      API_URL: file.base_url,
      API_KEY: file.api_key,
      NODE_URL: file.base_url,
      NODE_TOKEN: node?.token ?? '',
      X_TOKEN: file.nodes.find(({ x_token: token }) => token !== undefined)?.x_token ?? '',
    },
    async stop() {
      stopMining()
      await end('SIGTERM')
      await remove()
    },
  }
}

/**
 * Mines a block twice a second, as `npm run example -- activity transfers` does, because the chain mines no blocks
 * without transactions.
 */
function mineBlocks(port: string): () => void {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'evm_mine' })
  const timer = setInterval(() => {
    // A request that fails while the chain stops is not needed.
    fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body }).catch(() => undefined)
  }, 500)
  return () => clearInterval(timer)
}

/** A text of a page, with the URL of the gateway in this test. */
export function atGateway(text: string, { url }: Pick<RunningGateway, 'url'>): string {
  return text.replaceAll(defaultUrl, url)
}

/** Output with the URL that the pages name. */
export function asInPages(text: string, { url }: Pick<RunningGateway, 'url'>): string {
  return text.replaceAll(url, defaultUrl)
}
