import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { allFences, type Fence } from '../pages/fence.ts'

const workspace = resolve(import.meta.dirname, '../..')

/** Every program of the pages. */
export const programs: readonly Fence[] = allFences.filter(({ language }) => language === 'ts')

/** A folder with the programs as files, from which the packages are found as after an installation. */
export interface ProgramFolder {
  readonly path: string
  fileOf(program: Fence): string
  /** The line of a page that a line of a file stands for. */
  placeOf(file: string, line: number): string
  remove(): void
}

/** Writes the programs of all pages into a folder. */
export function writePrograms(): ProgramFolder {
  const path = mkdtempSync(join(workspace, '.programs-'))
  const nameOf = ({ page, line }: Fence) => `${page.replaceAll('/', '--')}.${line}.ts`
  const pageOf = new Map(programs.map((program) => [nameOf(program), program.page]))
  for (const program of programs) {
    // On the lines that it has in the page, so that complaints name those.
    writeFileSync(join(path, nameOf(program)), '\n'.repeat(program.line) + program.text)
  }
  return {
    path,
    fileOf: (program) => join(path, nameOf(program)),
    placeOf: (file, line) => `${pageOf.get(file) ?? file}:${line}`,
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}
