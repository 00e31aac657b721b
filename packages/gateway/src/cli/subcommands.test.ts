import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { routes } from '@fairlead/platform-client/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recordNodeMethods } from '@fairlead/platform-server/records/node-methods'
import { platformFixture, type PlatformFixture } from '@fairlead/platform-server/testing/platform-fixture'
import { temporaryDatabase, type TemporaryDatabase } from '@fairlead/platform-server/testing/temporary-store'
import { runCommand } from './testing/run-command.ts'
import { subcommands } from './subcommands.ts'

let database: TemporaryDatabase
let fixture: PlatformFixture
let folder: string
let environment: Record<string, string>
let onProbe: (nodeId: string) => Promise<void> = () => Promise.resolve()

beforeAll(async () => {
  database = await temporaryDatabase(undefined)
  fixture = await platformFixture(database, { nodes: { probe: (id) => void onProbe(id) } })
  await fixture.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = fixture.app.server.address() as AddressInfo
  environment = { FAIRLEAD_URL: `http://127.0.0.1:${port}`, FAIRLEAD_API_KEY: fixture.first.apiKey }
  folder = await mkdtemp(join(tmpdir(), 'fairlead-verbs-'))
})
afterAll(async () => {
  await fixture.app.close()
  await database.remove()
  await rm(folder, { recursive: true })
})

const run = (...args: string[]) => runCommand(args, environment)
const json = async (...args: string[]) => {
  const { out, error } = await run(...args, '--json')
  expect(error).toBe('')
  return JSON.parse(out) as Record<string, unknown>
}

// Operations that a person performs in a browser: sign in and out, and join.
const withoutVerb = [
  'acceptInvitation',
  'changePassword',
  'createSession',
  'endSession',
  'finishOidcSignIn',
  'getSession',
  'getSignInOptions',
  'listSessions',
  'revokeSession',
  'beginOidcSignIn',
]

describe('CLI subcommands', () => {
  it('cover every operation of the contract exactly once', () => {
    const operations = subcommands.map(({ operation }) => operation)
    expect(new Set(operations).size).toBe(operations.length)
    expect([...operations, ...withoutVerb].toSorted()).toEqual(Object.keys(routes).toSorted())
  })

  it('create, list, get, update and delete', async () => {
    const { id } = await json('project', 'create', '--name', 'Harbour', '--description', 'first')
    expect(await json('project', 'update', String(id), '--description', '@@second')).toMatchObject({
      name: 'Harbour',
      description: '@second',
    })
    expect((await run('project', 'list', '--name', 'Harbour')).out).toBe(
      `${String(id)}\tHarbour\tpublic\t0\t1\t${String((await json('project', 'get', String(id)))['created_at'])}\n`,
    )
    expect(await run('project', 'delete', String(id))).toMatchObject({ code: 0, out: '' })
    expect(await run('project', 'get', String(id))).toMatchObject({ code: 4 })
  })

  it('print a table and the total count on a terminal', async () => {
    const { id } = await json('project', 'create', '--name', 'Quay')
    const { out, notes } = await runCommand(['project', 'list', '--page-size', '1'], environment, true)
    expect(out).toMatch(/^id +name +type +networks +members +created_at\nPR-\S+ +Quay +public +0 +1 +\S+\n$/)
    expect(notes).toMatch(/^1 of 2; --page 2 shows the next page, --all shows all\n$/)
    await run('project', 'delete', String(id))
  })

  it('read every page with --all', async () => {
    const { id } = await json('project', 'create', '--name', 'Quay')
    const { results } = await json('project', 'list', '--page-size', '1', '--all')
    expect(results).toHaveLength(2)
    await run('project', 'delete', String(id))
  })

  it('accept lists, objects, timestamps and null', async () => {
    const created = await json('key', 'create', '--name', 'reader', '--scopes', 'org:read,usage:read')
    expect(created).toMatchObject({
      scopes: ['org:read', 'usage:read'],
      key: expect.stringMatching(/^\w{8}\.\w{32}$/) as string,
    })
    const id = String(created['id'])
    expect(await json('key', 'update', id, '--expires-at', '2099-01-01T00:00:00Z')).toMatchObject({
      expires_at: expect.stringMatching(/^2099/) as string,
    })
    expect(await json('key', 'update', id, '--expires-at', 'null')).toMatchObject({ expires_at: null })
    const limits = ['--requests-per-second', '5', '--methods', '{"eth_call":{"requests_per_second":1}}']
    expect(await json('limit', 'set', 'node', fixture.first.nodeId, ...limits)).toMatchObject({
      requests_per_second: 5,
      methods: { eth_call: { requests_per_second: 1 } },
    })
  })

  it('print a report as a table and as CSV', async () => {
    const { out } = await runCommand(['usage', 'report'], environment, true)
    expect(out).toMatch(/^datetime .* request_units +timed_requests +duration_ms\n/)
    expect((await run('usage', 'export')).out).toMatch(/^datetime,.*,timed_requests,duration_ms\r\n/)
  })

  it.each([
    [
      'an object that is not there',
      ['project', 'get', 'PR-000-000-000'],
      4,
      /^Not found\. \(404, request \S+\)$/,
    ],
    ['a field that cannot be', ['project', 'create', '--name', ''], 1, /^Invalid input\.[^]*\n {2}name: /],
    ['a version of before', ['project', 'update', 'PR', '--name', 'x', '--if-match', '"0"'], 5, /412/],
    ['a value of another kind', ['project', 'list', '--all=yes'], 2, /--all/],
    [
      'a number that is none',
      ['limit', 'set', 'node', 'ND', '--burst', 'c4n4ry'],
      2,
      /^--burst must be an integer/,
    ],
    [
      'a file that is not there',
      ['project', 'create', '--name', '@/nowhere/c4'],
      2,
      /^--name must be a readable file/,
    ],
    ['a body that is no JSON', ['project', 'create', '--body', 'c4n4ry'], 2, /^--body must be JSON$/],
  ])('print an error for %s', async (_, text, code, message) => {
    const args = text.map((arg) =>
      arg === 'PR' ? fixture.first.projectId : arg === 'ND' ? fixture.first.nodeId : arg,
    )
    const ran = await run(...args)
    expect(ran).toMatchObject({ code, out: '', error: expect.stringMatching(message) as string })
    expect(ran.error).not.toContain('c4n4ry')
  })

  it('use distinct exit codes for an invalid key and an unreachable gateway', async () => {
    const key = 'AAAAAAAA.c4n4ryc4n4ryc4n4ryc4n4ryc4n4ry00'
    const rejected = await runCommand(['project', 'list'], { ...environment, FAIRLEAD_API_KEY: key })
    expect(rejected).toMatchObject({ code: 3, error: expect.stringContaining('401') as string })
    const unreachable = await runCommand(['project', 'list'], {
      FAIRLEAD_URL: 'http://127.0.0.1:9',
      FAIRLEAD_API_KEY: key,
    })
    expect(unreachable.code).toBe(6)
    expect(rejected.error + unreachable.error).not.toContain('c4n4ry')
  })
})

describe('the target of a command', () => {
  it('is read from a profile whose key file only its owner can read', async () => {
    const keyFile = join(folder, 'key.txt')
    await writeFile(keyFile, `${fixture.first.apiKey}\n`, { mode: 0o600 })
    const home = { HOME: folder }
    const url = environment['FAIRLEAD_URL'] ?? ''
    expect(
      await runCommand(['profile', 'add', 'here', '--gateway', url, '--key-file', keyFile], home),
    ).toMatchObject({ code: 0 })
    const profiles = join(folder, '.config/fairlead/profiles.json')
    expect((await stat(profiles)).mode & 0o777).toBe(0o600)
    expect(await runCommand(['profile', 'list'], home)).toMatchObject({ out: `here\t${url}\n` })
    expect(await runCommand(['organization', 'get', '--profile', 'here'], home)).toMatchObject({ code: 0 })
    await chmod(keyFile, 0o644)
    expect(await runCommand(['organization', 'get', '--profile', 'here'], home)).toMatchObject({
      code: 2,
      error: `${keyFile} must be readable by its owner only: chmod 600`,
    })
    await runCommand(['profile', 'remove', 'here'], home)
    expect(await runCommand(['organization', 'get', '--profile', 'here'], home)).toMatchObject({ code: 2 })
  })

  it.each([
    ['no address', {}, '--gateway must be set, or FAIRLEAD_URL'],
    ['no key', { FAIRLEAD_URL: 'https://gateway.example' }, 'FAIRLEAD_API_KEY must be set'],
    [
      'plain HTTP to another machine',
      { FAIRLEAD_URL: 'http://gateway.example', FAIRLEAD_API_KEY: 'c4n4ry' },
      '--gateway must be an https URL',
    ],
    [
      'credentials in the address',
      { FAIRLEAD_URL: 'https://u:c4n4ry@gateway.example', FAIRLEAD_API_KEY: 'x' },
      '--gateway must be an https URL',
    ],
    [
      'a key of several words',
      { FAIRLEAD_URL: 'https://gateway.example', FAIRLEAD_API_KEY: 'c4n4ry c4n4ry' },
      'FAIRLEAD_API_KEY must consist of printable ASCII',
    ],
  ])('is rejected: %s', async (_, text, message) => {
    const ran = await runCommand(['project', 'list'], text)
    expect(ran).toMatchObject({ code: 2, error: expect.stringContaining(message) as string })
    expect(ran.error).not.toContain('c4n4ry')
  })
})

describe('probe --refresh', () => {
  it('probes a node and prints the result', async () => {
    const { nodeId } = fixture.first
    const { db, encryptor } = fixture.store
    onProbe = async (id) => {
      const found = { available: true, withheld: false, code: null, note: '', latencyMs: 1 }
      const finding = { method: 'eth_chainId', transport: 'http', ...found } as const
      await recordNodeMethods(db, encryptor, { nodeId: id, upstreams: { evm: 'devnet' } }, [finding])
    }
    const { out, error, code } = await run('probe', '--refresh', nodeId)
    expect({ error, code }).toEqual({ error: '', code: 0 })
    expect(out).toContain('eth_chainId\thttp\ttrue\t1\t')
  })

  it('cannot be combined with a node URL', async () => {
    const ran = await run('probe', 'http://host', '--refresh', fixture.first.nodeId)
    expect(ran).toMatchObject({ code: 2, error: '--refresh cannot be combined with a node URL' })
    expect(await run('probe', '--refresh', 'ND-000-000-000')).toMatchObject({ code: 4 })
  })
})

describe('init', () => {
  it('writes the files a gateway needs, without overwriting', async () => {
    const target = join(folder, 'service')
    const secret = { FAIRLEAD_EVM_UPSTREAM: 'https://node.example/c4n4ry https://other.example' }
    const ran = await runCommand(['init', target], secret)
    expect(ran).toMatchObject({ code: 0, out: `${target}/fairlead.yaml\n${target}/fairlead.env\n` })
    expect((await stat(join(target, 'fairlead.env'))).mode & 0o777).toBe(0o600)
    const text = await readFile(join(target, 'fairlead.env'), 'utf8')
    expect(text).toContain("FAIRLEAD_EVM_UPSTREAM='https://node.example/c4n4ry https://other.example'\n")
    expect(text).toMatch(/^FAIRLEAD_SECRET_KEY=[\w+/]{43}=$/m)
    expect(await readFile(join(target, 'fairlead.yaml'), 'utf8')).not.toContain('c4n4ry')
    expect(await runCommand(['init', target], {})).toMatchObject({ code: 5 })
    expect(await readFile(join(target, 'fairlead.env'), 'utf8')).toBe(text)
  })
})

describe('completion', () => {
  it.each([
    [['pro'], ['probe', 'project', 'profile']],
    [['project', 'd'], ['delete']],
    [['project', 'list', '--ord'], ['--order-by']],
    [
      ['limit', 'set', ''],
      ['project', 'node', 'credential'],
    ],
    [['project', 'list', '--name', ''], []],
  ])('completes %j', async (words, expected) => {
    const { out } = await runCommand(['complete', '--', ...words], {})
    expect(out.split('\n').filter(Boolean).toSorted()).toEqual(expected.toSorted())
  })

  it.each(['bash', 'zsh', 'fish'])('has a script for %s', async (shell) => {
    expect((await runCommand(['completion', shell], {})).out).toContain('fairlead complete')
  })
})
