import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { clientFolders, packPackage, workspaceRoot } from '../packed-package.ts'
import { run } from './run.ts'

/** All published packages, by folder name. */
export const publishedFolders = [...clientFolders, 'devnet', 'gateway'] as const

/** A user project in which every package is installed. */
export interface Project {
  readonly root: string
  remove(): Promise<void>
}

/**
 * Packs every package as for a release and installs the tarballs into a new project, with all dependencies.
 *
 * @throws Error with the output of pnpm when the installation fails
 */
export async function createProject(): Promise<Project> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'fairlead-consumers-')))
  const remove = () => rm(root, { recursive: true, force: true, maxRetries: 5 })
  try {
    await installInto(root)
  } catch (error) {
    await remove()
    throw error
  }
  return { root, remove }
}

async function installInto(root: string): Promise<void> {
  const packed = await Promise.all(
    publishedFolders.map(
      async (folder) => [`@fairlead/${folder}`, (await packPackage(folder, root)).tarball] as const,
    ),
  )
  const tarballs = Object.fromEntries(packed.map(([name, file]) => [name, `file:${file}`]))
  const peers = await peersOf(clientFolders)
  const manifest = {
    name: 'consumer',
    private: true,
    type: 'module',
    dependencies: { ...peers, ...tarballs },
  }
  await writeFile(join(root, 'package.json'), JSON.stringify(manifest))
  // The packages depend on versions of each other that are not in any registry yet.
  await writeFile(
    join(root, 'pnpm-workspace.yaml'),
    JSON.stringify({ overrides: tarballs, strictDepBuilds: false }),
  )
  const pnpm = join(workspaceRoot, 'node_modules/.bin/pnpm')
  const installed = await run(
    pnpm,
    ['install', '--prefer-offline', '--ignore-scripts', '--reporter=append-only'],
    {
      cwd: root,
    },
  )
  if (installed.code !== 0) throw new Error(`the packages cannot be installed:\n${installed.output}`)
  await cp(resolve(import.meta.dirname, '../../program'), root, { recursive: true })
}

/** The optional peer dependencies in the versions that the workspace tests with, and the types of Node.js. */
async function peersOf(folders: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const names = new Set(['@types/node'])
  for (const folder of folders) {
    const file = join(workspaceRoot, 'packages', folder, 'package.json')
    const { peerDependencies = {} } = JSON.parse(await readFile(file, 'utf8')) as {
      peerDependencies?: Readonly<Record<string, string>>
    }
    for (const name of Object.keys(peerDependencies)) names.add(name)
  }
  const catalog = await readFile(join(workspaceRoot, 'pnpm-workspace.yaml'), 'utf8')
  const versionOf = (name: string) => new RegExp(`^  '?${name}'?: (\\S+)$`, 'm').exec(catalog)?.[1] ?? '*'
  return Object.fromEntries([...names].map((name) => [name, versionOf(name)]))
}

/** Writes the programs that call the gateway into a folder of the project, with the data that they need. */
export async function writeCalls(project: Project, gateway: object): Promise<string> {
  const folder = join(project.root, 'calls')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'gateway.js'), `export const gateway = ${JSON.stringify(gateway)}\n`)
  return folder
}
