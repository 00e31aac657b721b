import { writeChangeset } from '@changesets/write'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { GateResult } from './gate.ts'
import { plannedChangesets } from './planned-changesets.ts'
import type { LowVersion } from './spec-versions.ts'

/**
 * Raises the versions of the specifications, regenerates their code and writes the missing changesets.
 *
 * @returns the written files, relative to the root
 * @throws Error when the code cannot be generated
 */
export async function fix(root: string, result: GateResult): Promise<readonly string[]> {
  const written: string[] = []
  for (const low of result.lowVersions) {
    await raiseVersion(root, low)
    written.push(low.file)
  }
  const generator = join(root, 'tools/codegen/src/main.ts')
  if (result.lowVersions.length > 0 && existsSync(generator))
    await promisify(execFile)(process.execPath, [generator, '--if-stale'], { cwd: root })
  for (const { releases, summary } of plannedChangesets(result)) {
    const id = await writeChangeset({ releases: [...releases], summary }, root, { format: formatter(root) })
    written.push(`.changeset/${id}.md`)
  }
  return written
}

// Replaces only the version line, so that comments and order are preserved.
async function raiseVersion(root: string, { file, required }: LowVersion): Promise<void> {
  const path = join(root, file)
  const text = await readFile(path, 'utf8')
  const line = /^(info:[^\S\n]*\n(?:[^\S\n]+.*\n|\n)*?[^\S\n]+version:[^\S\n]*)(['"]?)[^\s'"]+\2/m
  if (!line.test(text)) throw new Error(`${file} has no line for info.version that could be raised`)
  await writeFile(
    path,
    text.replace(line, (_, start: string) => `${start}${required}`),
  )
}

function formatter(root: string): 'oxfmt' | false {
  const config = join(root, '.changeset/config.json')
  if (!existsSync(config)) return false
  const { format } = JSON.parse(readFileSync(config, 'utf8')) as { format?: unknown }
  return format === 'oxfmt' ? 'oxfmt' : false
}
