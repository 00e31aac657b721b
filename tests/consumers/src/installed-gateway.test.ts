import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { copyEmptyDatabase } from '@fairlead/vitest/database-template'
import { startServerProcess } from '@fairlead/vitest/server-process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packPackage, workspaceRoot } from './packed-package.ts'

const source = join(workspaceRoot, 'packages/gateway')
let root: string
let program: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'fairlead-installed-'))
  program = await install()
})
afterAll(() => rm(root, { recursive: true, force: true }))

/**
 * Installs the packed gateway with its dependencies, as `npm install --omit=dev` does, without optional peer
 * dependencies.
 */
async function install(): Promise<string> {
  const folder = join(root, 'node_modules/@fairlead/gateway')
  const { tarball } = await packPackage('gateway', root)
  await mkdir(folder, { recursive: true })
  await promisify(execFile)('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1'])
  const { dependencies } = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>
  }
  for (const name of Object.keys(dependencies)) {
    const link = join(root, 'node_modules', name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(join(source, 'node_modules', name), link)
  }
  return join(folder, 'dist/bin.js')
}

function run(...args: readonly string[]): Promise<{ readonly code: unknown; readonly errors: string }> {
  return new Promise((resolve) => {
    const options = { cwd: root, env: { HOME: root }, timeout: 60_000 }
    execFile(process.execPath, [program, ...args], options, (error, _, errors) =>
      resolve({ code: error ? error.code : 0, errors }),
    )
  })
}

describe('the installed gateway, without the embedded chains,', () => {
  it('serves the platform API and the console', async () => {
    await copyEmptyDatabase(join(root, 'data'))
    const { output, end } = await startServerProcess({
      program: process.execPath,
      args: [program, 'serve'],
      cwd: root,
      env: {
        HOME: root,
        FAIRLEAD_PORT: '0',
        FAIRLEAD_DATA_DIRECTORY: join(root, 'data'),
        FAIRLEAD_EVM_UPSTREAM: 'http://127.0.0.1:9',
        FAIRLEAD_PROBE_NODES: 'false',
      },
    })
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(output()) ?? []
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    const page = await fetch(`${url}/console/`)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect((await fetch(`${url}/v1/organization/`)).status).toBe(401)
    expect(await end('SIGTERM')).toBe(0)
  })

  it('explains in `fairlead dev` how to install them', async () => {
    const { code, errors } = await run('dev')
    expect(code).toBe(1)
    expect(errors).toMatch(/^error: \[DEVNET_NOT_INSTALLED\] .*`npm install @fairlead\/devnet`/)
    expect(errors).toContain('npx --package @fairlead/gateway --package @fairlead/devnet fairlead dev')
  })
})
