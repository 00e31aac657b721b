import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { allFences, type Fence } from '../pages/fence.ts'

const workspace = resolve(import.meta.dirname, '../..')

/** All programs of the pages. */
export const programs: readonly Fence[] = allFences.filter(({ language }) => language === 'ts')

/** A folder with the programs as files, from which packages are resolved as after an installation. */
export interface ProgramFolder {
  readonly path: string
  fileOf(program: Fence): string
  /** Returns the page and line for a line of a file. */
  placeOf(file: string, line: number): string
  remove(): void
}

/** Writes the programs of all pages into a folder. */
export function writePrograms(): ProgramFolder {
  const path = mkdtempSync(join(workspace, '.programs-'))
  const nameOf = ({ page, line }: Fence) => `${page.replaceAll('/', '--')}.${line}.ts`
  const pageOf = new Map(programs.map((program) => [nameOf(program), program.page]))
  for (const program of programs) {
    // At the same line numbers as in the page, so that errors refer to those.
    writeFileSync(join(path, nameOf(program)), '\n'.repeat(program.line) + program.text)
  }
  return {
    path,
    fileOf: (program) => join(path, nameOf(program)),
    placeOf: (file, line) => `${pageOf.get(file) ?? file}:${line}`,
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}
