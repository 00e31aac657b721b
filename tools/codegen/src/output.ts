import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { type Family, filesBelow, workspaceRoot } from './families.ts'
import type { Generated } from './generate.ts'

function folderOf(family: Family): string {
  return join(workspaceRoot, family.directory, 'src/generated')
}

function manifestPath(family: Family): string {
  return join(workspaceRoot, family.directory, 'package.json')
}

/** Returns the digest of the specification from which the committed code was generated. Undefined if there is none. */
export async function committedDigest(family: Family): Promise<string | undefined> {
  const manifest = JSON.parse(await readFile(manifestPath(family), 'utf8')) as { spec?: { sha256: string } }
  return manifest.spec?.sha256
}

async function updatedManifest(family: Family, { spec }: Generated): Promise<string> {
  const manifest = JSON.parse(await readFile(manifestPath(family), 'utf8')) as object
  return `${JSON.stringify({ ...manifest, spec }, null, 2)}\n`
}

/** Replaces the generated folder of a family and the `spec` entry of its package.json. */
export async function write(family: Family, generated: Generated): Promise<void> {
  const folder = folderOf(family)
  await rm(folder, { recursive: true, force: true })
  for (const [name, text] of Object.entries(generated.files)) {
    const file = join(folder, name)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
  await writeFile(manifestPath(family), await updatedManifest(family, generated))
}

/**
 * Returns the paths of committed files that differ from the generated output, including missing and superfluous files.
 */
export async function differences(family: Family, generated: Generated): Promise<readonly string[]> {
  const folder = folderOf(family)
  const expected = new Map<string, string>([[manifestPath(family), await updatedManifest(family, generated)]])
  for (const [name, text] of Object.entries(generated.files)) expected.set(join(folder, name), text)
  const differing: string[] = []
  for (const [file, text] of expected) {
    const actual = await readFile(file, 'utf8').catch(() => undefined)
    if (actual !== text) differing.push(file)
  }
  if (existsSync(folder)) differing.push(...filesBelow(folder).filter((file) => !expected.has(file)))
  return differing.map((file) => relative(workspaceRoot, file))
}
