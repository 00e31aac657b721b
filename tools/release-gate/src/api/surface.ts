import { dirname, join, relative } from 'node:path'
import ts from 'typescript'
import { type Module, readModule } from './module.ts'
import { type Shape, shapeOf } from './shape.ts'

/** One declaration that is visible to users of a package. */
export interface Declaration {
  /** Whether an entry exports it. Otherwise, it is only part of an exported declaration. */
  readonly isExported: boolean
  readonly isGenerated: boolean
  /** Whether functions accept it as input, so that users create such values. */
  readonly isInput: boolean
  readonly shape: Shape
}

/** Everything that is visible to users of a package. */
export interface Surface {
  /** By entry and name. */
  readonly declarations: ReadonlyMap<string, Declaration>
  /** Packages that it re-exports: the names, or `*` for all. */
  readonly reexports: ReadonlyMap<string, ReadonlySet<string>>
}

interface Found {
  readonly module: Module
  readonly name: string
}

/**
 * Reads the exports of a package.
 *
 * @param directory - folder of the package
 * @param entries - source file below the folder by entry name
 */
export function surfaceOf(directory: string, entries: ReadonlyMap<string, string>): Surface {
  const modules = new Map<string, Module | undefined>()
  const load = (path: string) => {
    if (!modules.has(path)) modules.set(path, readModule(path))
    return modules.get(path)
  }
  const reexports = new Map<string, Set<string>>()
  const found = new Map<string, Found>()
  for (const [entry, file] of entries) {
    for (const [name, target] of exportsOf(load(join(directory, file)), load, reexports, new Set()))
      found.set(`${entry}#${name}`, target)
  }
  const parts = partsOf(directory, found, load)
  const inputs = inputNames([...found.values(), ...parts.values()])
  const describe = (isExported: boolean) => (declaration: Found) => {
    const nodes = declaration.module.declarations.get(declaration.name) ?? []
    return {
      isExported,
      isGenerated: declaration.module.path.includes('/src/generated/'),
      isInput: inputs.has(declaration.name),
      shape: shapeOf(nodes),
    }
  }
  return {
    declarations: new Map([
      ...[...parts].map(([key, declaration]) => [key, describe(false)(declaration)] as const),
      ...[...found].map(([key, declaration]) => [key, describe(true)(declaration)] as const),
    ]),
    reexports,
  }
}

type Load = (path: string) => Module | undefined

function resolved(module: Module, from: string, load: Load): Module | undefined {
  return from.startsWith('.') ? load(join(dirname(module.path), from)) : undefined
}

function exportsOf(
  module: Module | undefined,
  load: Load,
  reexports: Map<string, Set<string>>,
  open: Set<string>,
): ReadonlyMap<string, Found> {
  const found = new Map<string, Found>()
  if (!module || open.has(module.path)) return found
  open.add(module.path)
  const addReexport = (from: string, name: string) => {
    reexports.set(from, (reexports.get(from) ?? new Set()).add(name))
  }
  for (const { names, from } of module.forwards) {
    if (!from.startsWith('.')) {
      for (const name of names?.map(({ local }) => local) ?? ['*']) addReexport(from, name)
      continue
    }
    const inner = exportsOf(resolved(module, from, load), load, reexports, new Set(open))
    if (names)
      for (const { exported, local } of names) {
        const target = inner.get(local)
        if (target) found.set(exported, target)
      }
    else for (const [name, target] of inner) found.set(name, target)
  }
  for (const [exported, local] of module.exports) {
    const imported = module.imports.get(local)
    if (module.declarations.has(local)) found.set(exported, { module, name: local })
    else if (imported && !imported.from.startsWith('.')) addReexport(imported.from, imported.name)
    else if (imported) {
      const target = exportsOf(resolved(module, imported.from, load), load, reexports, new Set(open)).get(
        imported.name,
      )
      if (target) found.set(exported, target)
    }
  }
  return found
}

// Declarations that no entry exports, but that exported declarations use, by file and name.
function partsOf(
  directory: string,
  found: ReadonlyMap<string, Found>,
  load: Load,
): ReadonlyMap<string, Found> {
  const keyOf = ({ module, name }: Found) => `${relative(directory, module.path)}#${name}`
  const exported = new Set([...found.values()].map(keyOf))
  const parts = new Map<string, Found>()
  const open = [...found.values()]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { module } = next
    for (const name of typeNames(module.declarations.get(next.name) ?? [])) {
      const imported = module.imports.get(name)
      const target = module.declarations.has(name)
        ? { module, name }
        : imported &&
          exportsOf(resolved(module, imported.from, load), load, new Map(), new Set()).get(imported.name)
      if (!target || exported.has(keyOf(target)) || parts.has(keyOf(target))) continue
      parts.set(keyOf(target), target)
      open.push(target)
    }
  }
  return parts
}

/** Returns the names of types in a declaration, excluding the bodies of its functions. */
function typeNames(nodes: readonly ts.Node[]): ReadonlySet<string> {
  const names = new Set<string>()
  const walk = (node: ts.Node): void => {
    if (ts.isBlock(node)) return
    if (ts.isTypeReferenceNode(node)) names.add(firstName(node.typeName))
    if (ts.isExpressionWithTypeArguments(node)) names.add(node.expression.getText())
    if (ts.isTypeQueryNode(node)) names.add(firstName(node.exprName))
    ts.forEachChild(node, walk)
  }
  for (const node of nodes) walk(node)
  return names
}

function firstName(name: ts.EntityName): string {
  return ts.isIdentifier(name) ? name.text : firstName(name.left)
}

// Returns the types of the parameters of callable declarations, and the types that those use.
function inputNames(all: readonly Found[]): ReadonlySet<string> {
  const parameters: ts.Node[] = []
  const walk = (node: ts.Node): void => {
    if (ts.isBlock(node)) return
    if (ts.isParameter(node)) parameters.push(node)
    ts.forEachChild(node, walk)
  }
  for (const { module, name } of all) for (const node of module.declarations.get(name) ?? []) walk(node)
  const nodesByName = new Map(all.map(({ module, name }) => [name, module.declarations.get(name) ?? []]))
  const names = new Set<string>()
  const open = [...typeNames(parameters)]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (names.has(next)) continue
    names.add(next)
    open.push(...typeNames(nodesByName.get(next) ?? []))
  }
  return names
}
