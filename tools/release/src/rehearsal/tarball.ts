import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { observeProgram } from '../run-program.ts'
import type { PublishedVersion } from './registry.ts'

/**
 * Checks a published version for files that must not be in it, or that are missing.
 *
 * @param folder - for the tarball
 * @returns a sentence for each fault
 */
export async function faultsOf(
  name: string,
  found: PublishedVersion,
  folder: string,
): Promise<readonly string[]> {
  const { dist, version } = found
  const file = join(folder, `${name.replaceAll(/\W+/g, '-')}-${version}.tgz`)
  const response = await fetch(dist.tarball)
  if (!response.ok)
    return [`${name}@${version}: the registry responded with ${response.status} instead of the tarball`]
  await writeFile(file, Buffer.from(await response.arrayBuffer()))
  const { output: listed } = await observeProgram(folder, 'tar', '-tzf', file)
  const { output: manifest } = await observeProgram(folder, 'tar', '-xzOf', file, 'package/package.json')
  const files = listed.trim().split('\n')
  const packed = JSON.parse(manifest) as PublishedVersion
  const faults = [
    ...['LICENSE', 'README.md', 'CHANGELOG.md', ...targetsOf(packed.exports)]
      .filter((path) => !files.includes(join('package', path)))
      .map((path) => `${path} is missing`),
    ...files
      .filter((path) => !/^package\/(dist\/|package\.json$|README\.md$|LICENSE$|CHANGELOG\.md$)/.test(path))
      .map((path) => `${path} must not be in it`),
    ...files.filter((path) => path.includes('.test.')).map((path) => `${path} is a test`),
    ...(packed.version === version ? [] : [`its manifest has version ${packed.version}`]),
    ...['workspace:', 'catalog:', '@fairlead/source', './src/']
      .filter((text) => manifest.includes(text))
      .map((text) => `its manifest contains ${text}`),
  ]
  return faults.map((fault) => `${name}@${version}: ${fault}`)
}

/** Returns every file that `exports` names. */
function targetsOf(exports: unknown): readonly string[] {
  if (typeof exports === 'string') return [exports]
  return typeof exports === 'object' && exports !== null ? Object.values(exports).flatMap(targetsOf) : []
}
