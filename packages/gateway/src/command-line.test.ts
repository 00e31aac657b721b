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

/** Runs the program as a user does. */
async function fairlead(...args: string[]) {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const env = { PATH, NODE_COMPILE_CACHE, NO_COLOR: '1', FAIRLEAD_METRICS_TOKEN: 'c4n4ry' }
  const all = ['--conditions=@fairlead/source', program, ...args]
  const ended: { stdout: string; stderr: string; code?: number } = await run(process.execPath, all, {
    env,
  }).catch((error: unknown) => error as { stdout: string; stderr: string; code: number })
  return { stdout: ended.stdout, stderr: ended.stderr, code: ended.code ?? 0 }
}

/** The configuration that `serve` receives for a command line. */
async function configured(
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<Configuration> {
  let received: Configuration | undefined
  const serve = (configuration: Configuration) => {
    received = configuration
    return Promise.resolve()
  }
  const unexpected = () => Promise.reject(new Error('unexpected command'))
  const commands = {
    dev: unexpected,
    serve,
    doctor: unexpected,
    resetOwnerPassword: unexpected,
    backup: unexpected,
    restore: unexpected,
    probe: unexpected,
  }
  const noop = () => undefined
  const context = { environment, terminal: false, print: noop, printNote: noop }
  await createCommandLine(commands, context, '1.2.3').parseAsync(['serve', ...args], { from: 'user' })
  if (!received) throw new Error('Nothing was run.')
  return received
}

async function file(name: string, text: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'fairlead-command-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  await writeFile(join(directory, name), text)
  return join(directory, name)
}

describe('the command line', () => {
  it('has a flag for every option except secrets, and documents the source of secrets', async () => {
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
  ])('exits with 2 and prints the usage on %s', async (_, args) => {
    const { stdout, stderr, code } = await fairlead(...args)
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/^error: /)
    expect(stderr).toContain('Usage: fairlead <command> [options]')
  })

  it('exits with 2 and one line on an invalid value', async () => {
    const { stderr, code } = await fairlead('serve', '--port', 'x')
    expect(code).toBe(2)
    expect(stderr).toBe('error: FAIRLEAD_PORT must be an integer from 0 to 65535, not this string\n')
  })

  it.each([
    [
      'an address of no node',
      ['probe', 'c4n4ry://host'],
      'node-url must be a URL that begins with http:// or https://',
    ],
    [
      'a WebSocket that is none',
      ['probe', 'http://host', '--websocket', 'http://c4n4ry'],
      '--websocket must be a URL',
    ],
    ['no address', ['probe'], 'node-url must be set, as an argument or as FAIRLEAD_NODE_URL'],
    [
      'an unknown method',
      ['probe', 'http://host', '--method', 'c4n4ry'],
      '--method must be a method of the EVM JSON-RPC specification',
    ],
    [
      'a number that is none',
      ['probe', 'http://h', '--repeat', 'c4n4ry'],
      '--repeat must be an integer from 1 to 1000',
    ],
    [
      'two formats',
      ['probe', 'http://host', '--json', '--markdown'],
      '--json cannot be combined with --markdown',
    ],
    ['a node that is not there', ['probe', 'http://127.0.0.1:1/c4n4ry'], 'The node cannot be reached.'],
    ['two addresses', ['probe', 'http://a', 'http://c4n4ry'], 'too many arguments'],
    ['an address as a command', ['http://host/c4n4ry'], 'unknown command'],
    ['an address in a flag', ['probe', '--url=http://host/c4n4ry'], 'unknown option'],
  ])('exits with an error that contains no part of a URL, on %s', async (name, args, message) => {
    const { stdout, stderr, code } = await fairlead(...args)
    expect([code, stdout]).toEqual([name === 'a node that is not there' ? 1 : 2, ''])
    expect(stderr).toMatch(/^error: /)
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('c4n4ry')
  })

  it('explains the probe with examples', async () => {
    const { stdout, code } = await fairlead('probe', '--help')
    expect(code).toBe(0)
    expect(stdout).toContain('Examples:')
    for (const flag of ['--websocket <url>', '--json', '--markdown', '--method <name>', '--timeout <ms>']) {
      expect(stdout).toContain(flag)
    }
  })

  it('passes environment variables to the probe unless a flag overrides them', async () => {
    const received: unknown[] = []
    const probe = (command: unknown) => Promise.resolve(void received.push(command))
    const unexpected = () => Promise.reject(new Error('unexpected command'))
    const environment = { FAIRLEAD_NODE_URL: 'http://a', FAIRLEAD_NODE_WEBSOCKET_URL: 'ws://a' }
    const commands = {
      dev: unexpected,
      serve: unexpected,
      doctor: unexpected,
      resetOwnerPassword: unexpected,
      backup: unexpected,
      restore: unexpected,
      probe,
    }
    const noop = () => undefined
    const context = { environment, terminal: false, print: noop, printNote: noop }
    for (const args of [['--markdown'], ['http://b', '--method', 'eth_call', '--method', 'net_version']]) {
      const commandLine = createCommandLine(commands, context, '1.2.3')
      await commandLine.parseAsync(['probe', ...args], { from: 'user' })
    }
    const numbers = { repeat: 1, concurrency: 4, timeoutMs: 10_000 }
    expect(received).toEqual([
      { ...numbers, url: 'http://a', webSocketUrl: 'ws://a', format: 'markdown', methods: [] },
      {
        ...numbers,
        url: 'http://b',
        webSocketUrl: undefined,
        format: 'table',
        methods: ['eth_call', 'net_version'],
      },
    ])
  })

  it('prefers flags over the environment, and the environment over the file', async () => {
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

  it('names an unreadable file', async () => {
    await expect(configured(['-c', '/nowhere/fairlead.yaml'])).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      details: { option: '/nowhere/fairlead.yaml', rule: 'must be a readable file: ENOENT' },
    })
  })
})
