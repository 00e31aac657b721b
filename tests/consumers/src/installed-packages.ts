import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, realpath, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { clientFolders, packPackage, workspaceRoot } from './packed-package.ts'

const run = promisify(execFile)

/** The fields of a packed package.json that the tests read. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly repository: { readonly url: string; readonly directory: string }
  readonly engines: { readonly node: string }
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

export interface InstalledPackage {
  readonly folder: string
  /** The folder to which it was unpacked. */
  readonly path: string
  readonly manifest: Manifest
  /** Import specifiers: `@fairlead/x`, `@fairlead/x/y`. */
  readonly entries: readonly string[]
}

export interface Installation {
  /** Folder of a project in which every package is installed. */
  readonly root: string
  readonly packages: readonly InstalledPackage[]
}

/**
 * Packs every package as for a release and unpacks it into the `node_modules` of a new project.
 *
 * Third-party packages are linked from the workspace, so that nothing is downloaded.
 */
export async function installPackages(): Promise<Installation> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'fairlead-consumer-')))
  await writeFile(
    join(root, 'package.json'),
    JSON.stringify({ name: 'consumer', private: true, type: 'module' }),
  )
  await link(root, '@types/node', import.meta.url)
  const packages = await Promise.all(clientFolders.map((folder) => install(root, folder)))
  return { root, packages }
}

async function install(root: string, folder: string): Promise<InstalledPackage> {
  const source = join(workspaceRoot, 'packages', folder)
  const { tarball } = await packPackage(folder, root)
  const path = join(root, 'node_modules/@fairlead', folder)
  await mkdir(path, { recursive: true })
  await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', path])
  const manifest = JSON.parse(await readFile(join(path, 'package.json'), 'utf8')) as Manifest
  const needed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
  const thirdParty = needed.filter((name) => !name.startsWith('@fairlead/'))
  await Promise.all(thirdParty.map((name) => link(root, name, join(source, 'package.json'))))
  const keys = Object.keys(manifest.exports).filter((key) => key !== './package.json')
  return { folder, path, manifest, entries: keys.map((key) => manifest.name + key.slice(1)) }
}

async function link(root: string, name: string, from: string): Promise<void> {
  const folders = createRequire(from).resolve.paths(name) ?? []
  const folder = folders.map((path) => join(path, name)).find((path) => existsSync(path))
  if (!folder)
    throw new Error(`${name} is not installed: run \`pnpm install\` at the root of the repository first`)
  const target = join(root, 'node_modules', name)
  await mkdir(dirname(target), { recursive: true })
  // Two packages may need the same one.
  await symlink(await realpath(folder), target).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}
