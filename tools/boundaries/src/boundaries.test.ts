import { globSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { type Area, devnetAreas, evmAreas, gatewayPackages, policyTables } from './areas.ts'
import { backwardImports } from './backward-imports.ts'
import { cyclicFiles } from './cyclic-files.ts'
import { namesOfProtocols } from './protocol-names.ts'
import { readImports, readSources } from './read-imports.ts'

const packages = resolve(import.meta.dirname, '../../../packages')
const folders = globSync('*/src', { cwd: packages }).map((folder) => join(packages, folder))

it.each([...gatewayPackages])('%s imports only allowed workspace packages', (name, allowed) => {
  const imports = readImports(join(packages, name, 'src'))
  expect(imports.length).toBeGreaterThan(10)
  const area: Area = { name, files: /./, mayImport: [], packages: allowed }
  expect(backwardImports(imports, [area])).toEqual([])
})

it.each(policyTables)('only some files of $package import $file', ({ package: name, file, importers }) => {
  const imports = readImports(join(packages, name, 'src')).filter(({ to }) => to === file)
  expect([...new Set(imports.map(({ from }) => from))].toSorted()).toEqual(importers.toSorted())
})

it('the core of the gateway contains no protocol name', () => {
  const sources = readSources(join(packages, 'gateway-core/src'))
  expect(sources.length).toBeGreaterThan(100)
  expect(
    sources.flatMap(({ path, text }) => namesOfProtocols(text).map((name) => `${path}: ${name}`)),
  ).toEqual([])
})

it.each([
  ['const evmPath = 1', ['evmPath']],
  ["route('/beacon/x')", ['/beacon/x']],
  ['interface A { readonly grpcStatus: number; isJetton: boolean }', ['grpcStatus', 'isJetton']],
  ['`${a}eth_call`', ['eth_call']],
  ["import { method, whether } from '@ethersproject/web'", []],
  ['// as for evm\nsetHeader(together, "something")', []],
])('finds protocol names in %s', (text, names) => {
  expect(namesOfProtocols(text)).toEqual(names)
})

it('a chain of the devnet imports no other chain', () => {
  const imports = readImports(join(packages, 'devnet/src'))
  expect(imports.length).toBeGreaterThan(800)
  expect(backwardImports(imports, devnetAreas)).toEqual([])
})

it('only one folder of gateway-evm has access to the parts of responses', () => {
  const imports = readImports(join(packages, 'gateway-evm/src'))
  expect(imports.filter(({ to }) => to.startsWith('response/')).length).toBeGreaterThan(50)
  expect(backwardImports(imports, evmAreas)).toEqual([])
})

it('no package has an import cycle, including dynamic imports', () => {
  expect(folders.length).toBeGreaterThan(8)
  expect(folders.flatMap((folder) => cyclicFiles(readImports(folder)))).toEqual([])
})

it('no dependency cycle exists between packages', () => {
  const imports = folders.flatMap((folder) => {
    const { name } = JSON.parse(readFileSync(join(folder, '../package.json'), 'utf8')) as { name: string }
    return readImports(folder)
      .flatMap(({ to }) => /^@fairlead\/[a-z0-9-]+/.exec(to)?.[0] ?? [])
      .map((to) => ({ from: name, to }))
      .filter(({ from, to }) => from !== to)
  })
  expect(imports.length).toBeGreaterThan(100)
  expect(cyclicFiles(imports)).toEqual([])
})

it('finds only the files of cycles', () => {
  const imports = ['start a', 'a b', 'b c', 'c a', 'c end', 'alone end', 'self self'].map((edge) => {
    const [from = '', to = ''] = edge.split(' ')
    return { from, to }
  })
  expect(cyclicFiles(imports)).toEqual(['a', 'b', 'c', 'self'])
  expect(cyclicFiles(imports.filter(({ from }) => from !== 'c' && from !== 'self'))).toEqual([])
})

it.each([
  ['devnet', devnetAreas],
  ['gateway-evm', evmAreas],
])('each area of %s has files, and imports existing areas', (folder, areas) => {
  const sources = new Set(readImports(join(packages, folder, 'src')).map(({ from }) => from))
  const owners = [...sources].map((file) => areas.find(({ files }) => files.test(file))?.name)
  const names = areas.map(({ name }) => name)
  expect(new Set(owners)).toEqual(new Set(names))
  expect(areas.flatMap(({ mayImport }) => mayImport).filter((name) => !names.includes(name))).toEqual([])
})

it('counts type imports and dynamic imports, but not tests and fixtures', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-boundaries-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'low/testing'), { recursive: true })
  const sources = {
    'high.ts': `import { low } from './low/low.ts'\nimport '@fairlead/high'`,
    'low/low.ts': `import type { A } from '../high.ts'\nexport const low = () => import('../high.ts')`,
    'low/type.ts': `export type B = import('../high.ts').A\nexport { C } from '../high.ts'`,
    'low/package.ts': `import '@fairlead/low/contract'\nimport '@fairlead/high'\nimport 'node:fs'`,
    'low/low.test.ts': `import '../high.ts'`,
    'low/testing/fixture.ts': `import '../../high.ts'`,
  }
  for (const [file, source] of Object.entries(sources)) await writeFile(join(folder, file), source)
  const areas: readonly Area[] = [
    { name: 'low', files: /^low\//, mayImport: [], packages: /^@fairlead\/low\/contract$/ },
    { name: 'high', files: /./, mayImport: ['low'], packages: /./ },
  ]
  expect(backwardImports(readImports(folder), areas)).toEqual([
    'low: low/low.ts -> high.ts',
    'low: low/low.ts -> high.ts',
    'low: low/package.ts -> @fairlead/high',
    'low: low/type.ts -> high.ts',
    'low: low/type.ts -> high.ts',
  ])
})
