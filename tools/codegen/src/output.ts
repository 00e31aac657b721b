import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { type Family, filesBelow, policyDigest, specDigest, workspaceRoot } from './families.ts'
import type { Generated } from './generate.ts'
import { digestInHeader } from './header.ts'

function folderOf(packageDirectory: string): string {
  return join(workspaceRoot, packageDirectory, 'src/generated')
}

/** Returns the generated folders of a family, with their files by path. */
function foldersOf(
  family: Family,
  { files, gatewayFiles }: Generated,
): readonly (readonly [folder: string, files: Readonly<Record<string, string>>])[] {
  const own = [folderOf(family.directory), files] as const
  return family.gateway === undefined ? [own] : [own, [folderOf(family.gateway), gatewayFiles]]
}

function manifestPath(family: Family): string {
  return join(workspaceRoot, family.directory, 'package.json')
}

/** Whether the committed code was generated from the current specification, by its digests. */
export async function isCurrent(family: Family): Promise<boolean> {
  const manifest = JSON.parse(await readFile(manifestPath(family), 'utf8')) as { spec?: { sha256: string } }
  if (manifest.spec?.sha256 !== specDigest(family)) return false
  if (family.gateway === undefined) return true
  const folder = folderOf(family.gateway)
  const generated = existsSync(folder) ? filesBelow(folder) : []
  const digest = policyDigest(family)
  const headers = await Promise.all(generated.map((file) => readFile(file, 'utf8')))
  return headers.length > 0 && headers.every((text) => digest.startsWith(digestInHeader(text) ?? '-'))
}

async function updatedManifest(family: Family, { spec }: Generated): Promise<string> {
  const manifest = JSON.parse(await readFile(manifestPath(family), 'utf8')) as object
  return `${JSON.stringify({ ...manifest, spec }, null, 2)}\n`
}

/** Replaces the generated folders of a family and the `spec` entry of its package.json. */
export async function write(family: Family, generated: Generated): Promise<void> {
  for (const [folder, files] of foldersOf(family, generated)) {
    await rm(folder, { recursive: true, force: true })
    for (const [name, text] of Object.entries(files)) {
      const file = join(folder, name)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, text)
    }
  }
  await writeFile(manifestPath(family), await updatedManifest(family, generated))
}

/**
 * Returns the paths of committed files that differ from the generated output, including missing and superfluous files.
 */
export async function differences(family: Family, generated: Generated): Promise<readonly string[]> {
  const folders = foldersOf(family, generated)
  const expected = new Map<string, string>([[manifestPath(family), await updatedManifest(family, generated)]])
  for (const [folder, files] of folders)
    for (const [name, text] of Object.entries(files)) expected.set(join(folder, name), text)
  const differing: string[] = []
  for (const [file, text] of expected) {
    const actual = await readFile(file, 'utf8').catch(() => undefined)
    if (actual !== text) differing.push(file)
  }
  for (const [folder] of folders)
    if (existsSync(folder)) differing.push(...filesBelow(folder).filter((file) => !expected.has(file)))
  return differing.map((file) => relative(workspaceRoot, file))
}
