import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export const workspaceRoot: string = resolve(import.meta.dirname, '../../..')

/** The client packages, by folder name. */
export const clientFolders = [
  'core',
  'platform-client',
  'evm-rpc',
  'beacon',
  'jetton',
  'grpc-transport',
  'grpc',
  'sdk',
] as const

/** A package, packed as for a release. */
export interface PackedPackage {
  readonly tarball: string
  /** Paths of the packed files. */
  readonly files: readonly string[]
}

/**
 * Packs a package as for a release.
 *
 * @param destination - folder of the tarball
 * @throws Error when the package was not built
 */
export async function packPackage(folder: string, destination: string): Promise<PackedPackage> {
  const source = join(workspaceRoot, 'packages', folder)
  if (!existsSync(join(source, 'dist')))
    throw new Error(
      `packages/${folder}/dist is missing: run \`pnpm exec turbo run build\` at the root of the repository first`,
    )
  const pnpm = join(workspaceRoot, 'node_modules/.bin/pnpm')
  const { stdout } = await run(pnpm, ['pack', '--json', '--pack-destination', destination], { cwd: source })
  const { filename, files } = JSON.parse(stdout) as { filename: string; files: { path: string }[] }
  return { tarball: resolve(destination, filename), files: files.map(({ path }) => path) }
}
