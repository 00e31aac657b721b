import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import ts from 'typescript'

/** An import of any kind: of values, of types, or dynamic. */
export interface Import {
  /** Path of the importing file below the folder. */
  readonly from: string
  /** Path of the imported file below the folder, or the name of a package. */
  readonly to: string
}

/** Returns the import specifiers of a program or a declaration, in source order. */
export function specifiersOf(text: string): readonly string[] {
  return ts.preProcessFile(text).importedFiles.map(({ fileName }) => fileName)
}

/** A file that is neither a test nor a test fixture. */
export interface Source {
  /** Path below the folder. */
  readonly path: string
  readonly text: string
}

/**
 * Reads all sources below a folder.
 *
 * @param folder - absolute path
 */
export function readSources(folder: string): readonly Source[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !/(?:^|\/)testing\//.test(path))
    .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }))
}

/**
 * Reads the imports of all sources below a folder.
 *
 * @param folder - absolute path
 */
export function readImports(folder: string): readonly Import[] {
  return readSources(folder).flatMap(({ path: from, text }) =>
    specifiersOf(text).map((to) => ({ from, to: targetOf(from, to) })),
  )
}

function targetOf(from: string, specifier: string): string {
  return specifier.startsWith('.') ? posix.join(dirname(from), specifier) : specifier
}
