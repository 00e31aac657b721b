import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import ts from 'typescript'

/** An import of any kind: of values, of types, or when it is run. */
export interface Import {
  /** Path of the importing file below the folder. */
  readonly from: string
  /** Path of the imported file below the folder, or the name of a package. */
  readonly to: string
}

/** Reads what a program or a declaration imports, in the order of its text. */
export function specifiersOf(text: string): readonly string[] {
  return ts.preProcessFile(text).importedFiles.map(({ fileName }) => fileName)
}

/**
 * Reads the imports of all sources below a folder.
 *
 * @param folder - absolute path
 * @returns those of files that are no tests and no fixtures of tests
 */
export function readImports(folder: string): readonly Import[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !/(?:^|\/)testing\//.test(path))
    .flatMap((from) =>
      specifiersOf(readFileSync(join(folder, from), 'utf8')).map((to) => ({ from, to: targetOf(from, to) })),
    )
}

function targetOf(from: string, specifier: string): string {
  return specifier.startsWith('.') ? posix.join(dirname(from), specifier) : specifier
}
