import { existsSync, readFileSync } from 'node:fs'
import ts from 'typescript'

/** A re-export from another module. */
export interface Forwarded {
  /** Undefined for `export *`. */
  readonly names: readonly { readonly exported: string; readonly local: string }[] | undefined
  readonly from: string
}

/** The declarations, exports and imports of a TypeScript module. */
export interface Module {
  readonly path: string
  /** All top-level declarations, by name. */
  readonly declarations: ReadonlyMap<string, readonly ts.Declaration[]>
  /** Local names by exported name. */
  readonly exports: ReadonlyMap<string, string>
  readonly forwards: readonly Forwarded[]
  /** Imported names by local name. */
  readonly imports: ReadonlyMap<string, { readonly from: string; readonly name: string }>
}

/** Reads a module. Undefined if the file does not exist. */
export function readModule(path: string): Module | undefined {
  if (!existsSync(path)) return undefined
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2022, true)
  const declarations = new Map<string, ts.Declaration[]>()
  const exports = new Map<string, string>()
  const forwards: Forwarded[] = []
  const imports = new Map<string, { from: string; name: string }>()
  for (const statement of source.statements) {
    for (const [name, declaration] of declared(statement)) {
      declarations.set(name, [...(declarations.get(name) ?? []), declaration])
      if (isExported(statement)) exports.set(name, name)
    }
    if (ts.isExportDeclaration(statement)) readExport(statement, exports, forwards)
    if (ts.isImportDeclaration(statement)) readImport(statement, imports)
  }
  return { path, declarations, exports, forwards, imports }
}

function declared(statement: ts.Statement): readonly (readonly [string, ts.Declaration])[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(
      (declaration) => [declaration.name.getText(), declaration] as const,
    )
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement)
  return isNamed && statement.name ? [[statement.name.text, statement] as const] : []
}

function isExported(statement: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : []
  return modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
}

function readExport(
  { exportClause, moduleSpecifier }: ts.ExportDeclaration,
  exports: Map<string, string>,
  forwards: Forwarded[],
): void {
  const names =
    exportClause && ts.isNamedExports(exportClause)
      ? exportClause.elements.map(({ name, propertyName }) => ({
          exported: name.text,
          local: (propertyName ?? name).text,
        }))
      : undefined
  if (moduleSpecifier && ts.isStringLiteral(moduleSpecifier))
    forwards.push({ names, from: moduleSpecifier.text })
  else for (const { exported, local } of names ?? []) exports.set(exported, local)
}

function readImport(
  { importClause, moduleSpecifier }: ts.ImportDeclaration,
  imports: Map<string, { from: string; name: string }>,
): void {
  const from = ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : ''
  const bindings = importClause?.namedBindings
  if (!bindings || !ts.isNamedImports(bindings)) return
  for (const { name, propertyName } of bindings.elements)
    imports.set(name.text, { from, name: (propertyName ?? name).text })
}
