import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { specifiersOf } from '@fairlead/boundaries/read-imports'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clientFolders, packPackage, workspaceRoot } from './packed-package.ts'

const published = [...clientFolders, 'devnet', 'gateway']

let destination: string
beforeAll(async () => {
  destination = await mkdtemp(join(tmpdir(), 'fairlead-packed-'))
})
afterAll(() => rm(destination, { recursive: true, force: true }))

/** The packages that a program or a declaration imports. */
async function importedPackages(path: string): Promise<readonly string[]> {
  return specifiersOf(await readFile(path, 'utf8'))
    .filter((name) => !name.startsWith('.') && !name.startsWith('node:') && !builtinModules.includes(name))
    .map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'))
}

describe.each(published)('the files of the packed package %s', (folder) => {
  it('contain no tests, and import only installed packages', { timeout: 120_000 }, async () => {
    const { files } = await packPackage(folder, destination)
    expect(files.filter((file) => /\.(?:test|test-d)\.|(?:^|\/)testing\//.test(file))).toEqual([])
    const source = join(workspaceRoot, 'packages', folder)
    const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as Partial<
      Record<string, Readonly<Record<string, string>>>
    >
    const { dependencies, optionalDependencies, peerDependencies } = manifest
    const installed = {
      ...dependencies,
      ...optionalDependencies,
      ...peerDependencies,
      [`@fairlead/${folder}`]: '',
    }
    const code = files.filter((file) => /^dist\/(?!console\/).*\.(?:js|d\.ts)$/.test(file))
    expect(code.length).toBeGreaterThan(1)
    const lacking = await Promise.all(
      code.map(async (file) =>
        (await importedPackages(join(source, file)))
          .filter((name) => !Object.hasOwn(installed, name))
          .map((name) => `${file} imports ${name}`),
      ),
    )
    expect(lacking.flat()).toEqual([])
  })
})
