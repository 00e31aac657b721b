import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const run = promisify(execFile)
const program = join(import.meta.dirname, 'main.ts')

let repository = ''

const git = (...args: readonly string[]) =>
  run('git', ['-C', repository, '-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args])

async function diff(...args: readonly string[]) {
  return run(process.execPath, [program, '--root', repository, ...args]).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  )
}

function document(path: string): string {
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Ships', version: '1.0.0' },
    paths: { [path]: { get: { operationId: 'listShips', responses: { 200: { description: 'Ships.' } } } } },
  })
}

const file = () => join(repository, 'specs/ships/openapi.yaml')

beforeAll(async () => {
  repository = await mkdtemp(join(tmpdir(), 'fairlead-spec-diff-'))
  await mkdir(join(repository, 'specs/ships'), { recursive: true })
  const families = {
    ships: {
      package: '@fairlead/ships',
      directory: 'packages/ships',
      documents: [{ kind: 'openapi', entry: 'ships/openapi.yaml', name: 'ships' }],
    },
  }
  await writeFile(join(repository, 'README.md'), 'Ships.\n')
  await git('init', '--quiet', '--initial-branch=main')
  await git('add', '.')
  await git('commit', '--quiet', '-m', 'empty')
  await writeFile(join(repository, 'specs/families.json'), JSON.stringify({ families }))
  await writeFile(file(), document('/v1/ships'))
  await git('add', '.')
  await git('commit', '--quiet', '-m', 'first')
  await git('branch', 'old')
})

afterAll(async () => {
  await rm(repository, { recursive: true, force: true })
})

describe('the command', () => {
  it('compares the working tree with a commit', async () => {
    const before = await readFile(file())
    await writeFile(file(), document('/v2/boats'))
    try {
      const { code, stdout } = await diff('--base', 'main', '--fail-on', 'breaking')
      expect(code).toBe(3)
      expect(stdout).toContain('## ships: **major**')
      expect(stdout).toContain('| GET /v1/ships (listShips)')
    } finally {
      await writeFile(file(), before)
    }
  })

  it('compares two commits, and ignores later commits on the base', async () => {
    await git('checkout', '--quiet', '-b', 'other', 'old')
    await writeFile(file(), document('/v3/ferries'))
    await git('commit', '--quiet', '-am', 'other')
    await git('checkout', '--quiet', 'main')
    const same = await diff('--base', 'other', '--head', 'main', '--json')
    expect(JSON.parse(same.stdout)).toMatchObject({ families: [{ family: 'ships', bump: 'none' }] })
    const { code, stdout } = await diff('--base', 'main', '--head', 'other')
    expect(code).toBe(0)
    expect(stdout).toContain('GET /v3/ferries')
  })

  it('reports a family as new if the base does not have it', async () => {
    const { code, stdout } = await diff('--base', 'main~1', '--json', '--fail-on', 'breaking')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      families: [
        { bump: 'minor', documents: [{ version: { head: '1.0.0' }, changes: [{ category: 'added' }] }] },
      ],
    })
  })

  it('exits with 1 and reports the document that it cannot read', async () => {
    const before = await readFile(file())
    await writeFile(file(), document('/v2/boats').replace('"description":"Ships."', '"$ref":"missing.yaml"'))
    try {
      const { code, stderr } = await diff('--base', 'main')
      expect(code).toBe(1)
      expect(stderr).toMatch(/^specs\/ships\/openapi\.yaml cannot be read: /)
    } finally {
      await writeFile(file(), before)
    }
  })

  it.each([
    [[], '--base must name a commit'],
    [['--base', 'nowhere'], 'git has no commit named nowhere'],
    [['--base', 'main', '--json', '--markdown'], '--json and --markdown exclude each other'],
    [['--base', 'main', '--fail-on', 'words'], '--fail-on must be breaking'],
  ])('exits with 1 and a one-line error: %j', async (args, reason) => {
    const { code, stderr } = await diff(...args)
    expect(code).toBe(1)
    expect(stderr).toBe(`${reason}\n`)
  })
})
