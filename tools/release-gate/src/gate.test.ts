import { compareSpecs, type FamilyReport } from '@fairlead/spec-diff'
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { explainProblems } from './explain.ts'
import { checkGate, passes } from './gate.ts'
import { changeset, document, type Files, manifest, put, workspace } from './testing/workspace.ts'

const run = promisify(execFile)

let folder = ''
let count = 0
const bases = new Map<string, string>()

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-gate-'))
  for (const version of ['0.2.0', '1.2.0']) {
    const base = join(folder, version)
    await put(base, workspace(version))
    bases.set(version, base)
  }
})

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

async function changed(files: Files, version = '1.2.0'): Promise<{ base: string; head: string }> {
  const base = bases.get(version) ?? ''
  const head = join(folder, `head-${++count}`)
  await cp(base, head, { recursive: true })
  await put(head, files)
  return { base, head }
}

async function gateResult(files: Files, version?: string) {
  const { base, head } = await changed(files, version)
  return checkGate(base, head, await compared(base, head, files))
}

// Most cases share one of a few specifications. Comparing them takes the most time.
const reports = new Map<string, Promise<readonly FamilyReport[]>>()

function compared(base: string, head: string, files: Files) {
  const key = `${base} ${files['specs/ships/openapi.yaml']}`
  const report = reports.get(key) ?? compareSpecs(base, head)
  reports.set(key, report)
  return report
}

const shortfalls = async (files: Files, version?: string) =>
  (await gateResult(files, version)).shortfalls.map(
    ({ name, bump, announced }) => `${name.slice('@fairlead/'.length)} ${announced} < ${bump}`,
  )

// Fewer paths are a breaking change, more paths an addition.
const spec = (version: string, paths: readonly string[]) => ({
  'specs/ships/openapi.yaml': document(version, paths),
  'packages/ships/package.json': JSON.stringify(
    manifest('ships', version.startsWith('0') ? '0.2.0' : '1.2.0', { spec: { family: 'ships', version } }),
  ),
})
const broken = spec('2.0.0', ['/ships'])
const extended = spec('1.3.0', ['/ships', '/harbours', '/ferries'])

describe('the gate', () => {
  it('passes changes that affect no published package', async () => {
    const same = await gateResult({ 'packages/core/src/index.test.ts': 'test()', 'README.md': 'Ships.' })
    expect(passes(same)).toBe(true)
    expect(same.requirements).toEqual([])
  })

  it('rejects a breaking specification change without changesets, for the family and its facade', async () => {
    expect(await shortfalls(broken)).toEqual(['sdk none < major', 'ships none < major'])
  })

  it('rejects too small a bump', async () => {
    const files = { ...broken, '.changeset/new.md': changeset({ ships: 'minor', sdk: 'major' }) }
    expect(await shortfalls(files)).toEqual(['ships minor < major'])
  })

  it('rejects a major bump of a family without one of its facade', async () => {
    const files = { ...broken, '.changeset/new.md': changeset({ ships: 'major' }) }
    expect(await shortfalls(files)).toEqual(['sdk none < major'])
  })

  it('passes announced changes', async () => {
    const files = { ...broken, '.changeset/new.md': changeset({ ships: 'major', sdk: 'major' }) }
    expect(passes(await gateResult(files))).toBe(true)
  })

  it('accepts a minor bump for a breaking change below 1.0', async () => {
    const files = { ...spec('0.3.0', ['/ships']), '.changeset/new.md': changeset({ ships: 'minor' }) }
    expect(await shortfalls(files, '0.2.0')).toEqual(['sdk none < minor'])
    const both = { ...files, '.changeset/new.md': changeset({ ships: 'minor', sdk: 'minor' }) }
    expect(passes(await gateResult(both, '0.2.0'))).toBe(true)
  })

  it('requires a minor bump of an extended family, and of a facade only if it exports all of it', async () => {
    expect(await shortfalls(extended)).toEqual(['ships none < minor'])
    const older = await changed({ 'packages/sdk/src/index.ts': `export type * from '@fairlead/ships'\n` })
    const newer = join(folder, 'facade')
    await cp(older.head, newer, { recursive: true })
    await put(newer, extended)
    const { shortfalls: found } = await checkGate(
      older.head,
      newer,
      await compared(older.base, newer, extended),
    )
    expect(found.map(({ name, bump }) => [name, bump])).toEqual([
      ['@fairlead/sdk', 'minor'],
      ['@fairlead/ships', 'minor'],
    ])
  })

  it('requires a higher version of the specification', async () => {
    const files = {
      ...broken,
      'specs/ships/openapi.yaml': document('1.9.0', ['/ships']),
      '.changeset/new.md': changeset({ ships: 'major', sdk: 'major' }),
    }
    const { lowVersions } = await gateResult(files)
    expect(lowVersions).toEqual([{ file: 'specs/ships/openapi.yaml', version: '1.9.0', required: '2.0.0' }])
  })

  it('requires generated code of the same version', async () => {
    const files = {
      'specs/ships/openapi.yaml': document('1.3.0', ['/ships', '/harbours']),
      'packages/ships/src/generated/contract.ts': `export const specVersion = "1.2.0"\n`,
      '.changeset/new.md': changeset({ ships: 'patch' }),
    }
    expect((await gateResult(files)).problems).toEqual([
      'packages/ships/package.json has version 1.2.0 of its specification, but the specification has 1.3.0. Run `pnpm codegen`.',
      'packages/ships/src/generated/contract.ts was generated from version 1.2.0 of its specification, but the specification has 1.3.0. Run `pnpm codegen`.',
    ])
  })

  it('rates the exports of a package, also for packages that re-export them', async () => {
    const files = { 'packages/ships/src/index.ts': 'export interface Ship { readonly name: number }\n' }
    expect(await shortfalls(files)).toEqual(['sdk none < major', 'ships none < major'])
    const more = {
      'packages/ships/src/index.ts':
        'export interface Ship { readonly name: string }\nexport const knots: number = 1\n',
    }
    expect(await shortfalls(more)).toEqual(['ships none < minor'])
  })

  it('includes indirect re-exports', async () => {
    const { head: older } = await changed({
      'packages/ships/src/index.ts': `export { wait } from '@fairlead/core'\n`,
      'packages/sdk/src/index.ts': `export * from '@fairlead/ships'\n`,
    })
    const newer = join(folder, 'further')
    await cp(older, newer, { recursive: true })
    await put(newer, {
      'packages/core/src/index.ts': 'export function wait(milliseconds: number): void {}\n',
    })
    const { shortfalls: found } = await checkGate(older, newer, [])
    expect(found.map(({ name, bump }) => `${name} ${bump}`)).toEqual([
      '@fairlead/core major',
      '@fairlead/sdk major',
      '@fairlead/ships major',
    ])
  })

  it('requires a patch for a change without API changes', async () => {
    const files = { 'packages/core/src/index.ts': 'export function wait(): void { throw new Error() }\n' }
    expect(await shortfalls(files)).toEqual(['core none < patch'])
    expect(passes(await gateResult({ ...files, '.changeset/new.md': changeset({ core: 'patch' }) }))).toBe(
      true,
    )
  })

  it.each(['console', 'engine', 'parser'])('treats the private %s as a part of the gateway', async (name) => {
    expect(await shortfalls({ [`packages/${name}/src/index.ts`]: 'export const a = 1\n' })).toEqual([
      'gateway none < patch',
    ])
  })

  it('requires only a changeset of the gateway for a changed policy of the gateway', async () => {
    const withCost = (units: number): Files => ({
      'specs/ships/openapi.yaml': document('1.2.0', ['/ships']).replace(
        /get: \{ (.+), responses: (.+) \}/,
        `get:\n      $1\n      x-gateway:\n        cost: { units: ${units} }\n      responses: $2`,
      ),
      'packages/engine/src/generated/policies.ts': `export const policies = { units: ${units} }\n`,
    })
    const { head: older } = await changed(withCost(1))
    const newer = join(folder, 'policies')
    await cp(older, newer, { recursive: true })
    await put(newer, withCost(2))
    const families = await compareSpecs(older, newer)
    expect(families.map(({ bump }) => bump)).toEqual(['none'])
    const gate = await checkGate(older, newer, families)
    expect(gate.requirements.map(({ name, bump }) => `${name} ${bump}`)).toEqual(['@fairlead/gateway patch'])
    await put(newer, { '.changeset/new.md': changeset({ gateway: 'patch' }) })
    expect(passes(await checkGate(older, newer, families))).toBe(true)
  })

  it('detects changes of entries, commands and the Node.js version', async () => {
    const without = {
      ...manifest('core', '1.2.0'),
      exports: {},
      bin: { wait: './wait.js' },
      engines: { node: '30' },
    }
    const { requirements } = await gateResult({ 'packages/core/package.json': JSON.stringify(without) })
    expect(requirements[0]?.reasons.map(({ description }) => description)).toEqual([
      'Entry `.` was removed.',
      'Command `wait` was added.',
      'The required Node.js version changed.',
    ])
  })

  it('ignores unpublished entries and their exports', async () => {
    const sourceExports = { '.': { '@fairlead/source': './src/index.ts' } }
    const more = {
      exports: { ...sourceExports, './testing': { '@fairlead/source': './src/testing/index.ts' } },
      publishConfig: { exports: { '.': './dist/index.js' } },
    }
    const files = {
      'packages/core/package.json': JSON.stringify(manifest('core', '1.2.0', more)),
      'packages/core/src/testing/index.ts': 'export const server = 1\n',
    }
    const { base, head } = await changed(files)
    expect((await checkGate(base, head, [])).requirements).toEqual([])
    const changedAgain = await changed({
      ...files,
      'packages/core/src/testing/index.ts': `export const server = 'other'\n`,
      'packages/core/src/index.ts': 'export function wait(): void { throw new Error() }\n',
    })
    const { requirements } = await checkGate(head, changedAgain.head, [])
    expect(requirements.map(({ name, bump }) => `${name} ${bump}`)).toEqual(['@fairlead/core patch'])
  })

  it('accepts a raised version instead of a changeset, as in a release', async () => {
    const files = {
      'packages/core/package.json': JSON.stringify(manifest('core', '1.2.1')),
      'packages/core/src/index.ts': 'export function wait(): void { throw new Error() }\n',
      '.changeset/older.md': undefined,
    }
    expect(await shortfalls(files)).toEqual([])
  })

  it('rejects a changeset for an unpublished package', async () => {
    const { problems } = await gateResult({ '.changeset/new.md': changeset({ console: 'minor' }) })
    expect(problems).toEqual(['A changeset names @fairlead/console, which is not a published package.'])
  })

  it('prints the changesets to write', async () => {
    expect(explainProblems(await gateResult(broken))).toBe(
      `@fairlead/sdk needs a major bump, but no new changeset contains it:
  major: It exports types of @fairlead/ships, and the specification of ships changed.

@fairlead/ships needs a major bump, but no new changeset contains it:
  major: The specification of ships changed: 1 breaking.

Write into .changeset/, for users, or run with --fix to create it:

---
'@fairlead/sdk': major
'@fairlead/ships': major
---

**Breaking:** Changed the ships API.

#### Specification

- Breaking: GET /harbours (listharbours): The operation was removed.

`,
    )
  })
})

describe('the command', () => {
  it('fails, then passes after --fix', async () => {
    const root = join(folder, 'repository')
    await put(root, workspace('1.2.0'))
    const git = (...args: readonly string[]) =>
      run('git', ['-C', root, '-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args])
    const gate = (...args: readonly string[]) =>
      run(process.execPath, [join(import.meta.dirname, 'main.ts'), '--root', root, ...args]).then(
        ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
        (error: { code: number; stdout: string; stderr: string }) => error,
      )
    await git('init', '--quiet', '--initial-branch=trunk')
    await git('add', '.')
    await git('commit', '--quiet', '-m', 'first')
    expect(await gate()).toMatchObject({ code: 0, stdout: 'No commit to compare with.\n' })
    await git('branch', 'main')
    await put(root, { 'specs/ships/openapi.yaml': document('1.2.0', ['/ships']) })
    const refused = await gate()
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('specs/ships/openapi.yaml is version 1.2.0 and must be at least 2.0.0.')
    expect(await gate('--fix')).toMatchObject({ code: 0 })
    expect(await readFile(join(root, 'specs/ships/openapi.yaml'), 'utf8')).toBe(document('2.0.0', ['/ships']))
    expect(await readFile(join(root, 'packages/ships/package.json'), 'utf8')).toContain('"version":"2.0.0"')
    const added = (await readdir(join(root, '.changeset'))).filter(
      (file) => file.endsWith('.md') && file !== 'older.md',
    )
    expect(added).toHaveLength(1)
    expect(await readFile(join(root, '.changeset', added[0] ?? ''), 'utf8')).toContain('#### Specification')
    expect(await gate()).toMatchObject({
      code: 0,
      stdout: 'Changesets and versions cover all changes: @fairlead/sdk major, @fairlead/ships major.\n',
    })
    // The test starts the command four times.
  }, 180_000)
})
