import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createCommandLine } from './command-line.ts'
import type { Configuration } from './configuration/options.ts'
import { type Option, options } from './configuration/options.ts'

const run = promisify(execFile)
const program = join(import.meta.dirname, 'bin.ts')

/** Runs the program as a person does. */
async function fairlead(...args: string[]) {
  const env = { PATH: process.env['PATH'], NO_COLOR: '1', FAIRLEAD_METRICS_TOKEN: 'c4n4ry' }
  const all = ['--conditions=@fairlead/source', program, ...args]
  const ended: { stdout: string; stderr: string; code?: number } = await run(process.execPath, all, {
    env,
  }).catch((error: unknown) => error as { stdout: string; stderr: string; code: number })
  return { stdout: ended.stdout, stderr: ended.stderr, code: ended.code ?? 0 }
}

/** What `serve` is given for a command line. */
async function configured(
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<Configuration> {
  let given: Configuration | undefined
  const serve = (configuration: Configuration) => {
    given = configuration
    return Promise.resolve()
  }
  const dev = () => Promise.reject(new Error('not asked for'))
  await createCommandLine({ dev, serve }, environment, '1.2.3').parseAsync(['serve', ...args], {
    from: 'user',
  })
  if (!given) throw new Error('Nothing was run.')
  return given
}

async function file(name: string, text: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'fairlead-command-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  await writeFile(join(directory, name), text)
  return join(directory, name)
}

describe('the command line', () => {
  it('has a flag for every option but the secrets, and says where those come from', async () => {
    const { stdout, code } = await fairlead('serve', '--help')
    expect(code).toBe(0)
    const text = stdout.replaceAll(/\s+/g, ' ')
    for (const [name, option] of Object.entries(options) as [string, Option][]) {
      const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} <value>`
      expect(text.includes(flag)).toBe(option.kind !== 'secret')
      expect(text).toContain(option.environment)
      expect(text).toContain(option.description)
    }
    expect(stdout).not.toContain('c4n4ry')
  })

  it('lists the commands', async () => {
    const { stdout, code } = await fairlead('--help')
    expect(code).toBe(0)
    expect(stdout).toMatch(/\bdev\b[^]*\bserve\b/)
  })

  it.each([
    ['an unknown option', ['serve', '--prot', '1']],
    ['a flag for a secret', ['serve', '--metrics-token', 'x']],
    ['an unknown command', ['start']],
    ['an argument too many', ['serve', 'now']],
    ['a flag without its value', ['serve', '--port']],
  ])('ends with 1 and says how it is used on %s', async (_, args) => {
    const { stdout, stderr, code } = await fairlead(...args)
    expect(code).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/^error: /)
    expect(stderr).toContain('Usage: fairlead <dev|serve> [options]')
  })

  it('ends with 1 and one line on a value that cannot be', async () => {
    const { stderr, code } = await fairlead('serve', '--port', 'x')
    expect(code).toBe(1)
    expect(stderr).toBe('error: FAIRLEAD_PORT must be an integer from 0 to 65535, not this text\n')
  })

  it('lets flags win over the environment, and the environment over the file', async () => {
    const config = await file('fairlead.yaml', 'port: 1\nnetwork: file\nlogLevel: error\nmetricsToken: t')
    const environment = { FAIRLEAD_PORT: '2', FAIRLEAD_NETWORK: 'environment' }
    expect(await configured(['--config', config, '--port', '3'], environment)).toMatchObject({
      port: 3,
      network: 'environment',
      logLevel: 'error',
      metricsToken: 't',
    })
    expect(await configured([])).toMatchObject({ port: 8645 })
  })

  it('names a file that cannot be read', async () => {
    await expect(configured(['-c', '/nowhere/fairlead.yaml'])).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      context: { option: '/nowhere/fairlead.yaml', rule: 'must be a file that can be read: ENOENT' },
    })
  })
})
