import { readFileSync } from 'node:fs'
import ts from 'typescript'

const options: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  allowImportingTsExtensions: true,
  allowJs: true,
  customConditions: ['@fairlead/source'],
}

/** Finds the files of the workspace that programs import, directly or through other files. */
export class ImportedFiles {
  readonly #specifiersOf: (text: string) => readonly string[]
  readonly #importsByFile = new Map<string, readonly string[]>()

  /** @param specifiersOf - the imports to follow */
  constructor(specifiersOf: (text: string) => readonly string[]) {
    this.#specifiersOf = specifiersOf
  }

  /**
   * @param programs - absolute paths
   * @returns the absolute path of each file, the programs included, and the file that imports it first
   */
  of(programs: Iterable<string>): ReadonlyMap<string, string | undefined> {
    const importers = new Map<string, string | undefined>(
      [...programs].map((program) => [program, undefined]),
    )
    // A map also visits what is added meanwhile.
    for (const file of importers.keys())
      for (const imported of this.#importsOf(file))
        if (!importers.has(imported)) importers.set(imported, file)
    return importers
  }

  #importsOf(file: string): readonly string[] {
    const known = this.#importsByFile.get(file)
    if (known !== undefined) return known
    const imports = /\.(?:ts|tsx|mjs)$/.test(file)
      ? this.#specifiersOf(readFileSync(file, 'utf8')).flatMap((specifier) => resolveImport(specifier, file))
      : []
    this.#importsByFile.set(file, imports)
    return imports
  }
}

const cache = ts.createModuleResolutionCache('/', (path) => path, options)

/** Returns no file for packages outside the workspace. */
function resolveImport(specifier: string, file: string): readonly string[] {
  if (!/^(?:\.|@fairlead\/)/.test(specifier)) return []
  const { resolvedModule } = ts.resolveModuleName(
    specifier,
    file,
    options,
    ts.sys,
    cache,
    undefined,
    ts.ModuleKind.ESNext,
  )
  return resolvedModule === undefined ? [] : [resolvedModule.resolvedFileName]
}

/**
 * Returns the specifiers of everything that a module loads at run time, in source order: by imports, and as programs
 * and workers by `new URL('./file.ts', import.meta.url)`. Imports of types load nothing.
 */
export function loadedSpecifiers(text: string): readonly string[] {
  const specifiers: string[] = []
  const add = (node: ts.Node | undefined): void => {
    if (node !== undefined && ts.isStringLiteralLike(node)) specifiers.push(node.text)
  }
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && node.importClause?.isTypeOnly !== true) add(node.moduleSpecifier)
    if (ts.isExportDeclaration(node) && !node.isTypeOnly) add(node.moduleSpecifier)
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0])
    if (ts.isNewExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'URL')
      add(node.arguments?.[0])
    node.forEachChild(visit)
  }
  visit(ts.createSourceFile('program.tsx', text, ts.ScriptTarget.Latest))
  return specifiers
}
