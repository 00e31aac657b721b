import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

// A workspace with a family, a facade for it, a handwritten package, the gateway and its bundled packages.

/** A package.json. */
export const manifest = (name: string, version: string, more: object = {}) => ({
  name: `@fairlead/${name}`,
  version,
  exports: { '.': { '@fairlead/source': './src/index.ts' } },
  ...more,
})

/** Dependencies on packages of the workspace. */
const parts = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [`@fairlead/${name}`, 'workspace:*']))

/** The specification of the family, with an operation for each path. */
export const document = (version: string, paths: readonly string[]) =>
  [
    'openapi: 3.1.0',
    'info:',
    '  title: Ships',
    `  version: ${version} # of the contract`,
    'paths:',
    ...paths.flatMap((path) => [
      `  ${path}:`,
      `    get: { operationId: list${path.slice(1)}, responses: { '200': { description: Some. } } }`,
    ]),
    '',
  ].join('\n')

const generator = `
import { readFileSync, writeFileSync } from 'node:fs'
const version = /version: (\\S+)/.exec(readFileSync('specs/ships/openapi.yaml', 'utf8'))[1]
/** A package.json. */
export const manifest = JSON.parse(readFileSync('packages/ships/package.json', 'utf8'))
writeFileSync('packages/ships/package.json', JSON.stringify({ ...manifest, spec: { family: 'ships', version } }))
`

/** The files of the workspace at a version of all its packages. */
export function workspace(version: string): Readonly<Record<string, string>> {
  const families = {
    ships: {
      package: '@fairlead/ships',
      directory: 'packages/ships',
      documents: [{ kind: 'openapi', entry: 'ships/openapi.yaml', name: 'ships' }],
    },
  }
  const spec = { spec: { family: 'ships', version } }
  return {
    'specs/families.json': JSON.stringify({ families }),
    'specs/ships/openapi.yaml': document(version, ['/ships', '/harbours']),
    'packages/ships/package.json': JSON.stringify(manifest('ships', version, spec)),
    'packages/ships/src/index.ts': 'export interface Ship { readonly name: string }\n',
    'packages/sdk/package.json': JSON.stringify(manifest('sdk', version)),
    'packages/sdk/src/index.ts': `export type { Ship } from '@fairlead/ships'\n`,
    'packages/core/package.json': JSON.stringify(manifest('core', version)),
    'packages/core/src/index.ts': 'export function wait(): void {}\n',
    'packages/gateway/package.json': JSON.stringify(
      manifest('gateway', version, { devDependencies: parts('console', 'engine') }),
    ),
    'packages/gateway/src/index.ts': 'export {}\n',
    'packages/console/package.json': JSON.stringify(manifest('console', version, { private: true })),
    'packages/console/src/index.ts': 'export {}\n',
    'packages/engine/package.json': JSON.stringify(
      manifest('engine', version, { private: true, devDependencies: parts('parser', 'console') }),
    ),
    'packages/engine/src/index.ts': 'export {}\n',
    'packages/parser/package.json': JSON.stringify(manifest('parser', version, { private: true })),
    'packages/parser/src/index.ts': 'export {}\n',
    'tools/codegen/src/main.ts': generator,
    '.changeset/config.json': JSON.stringify({ format: false }),
    '.changeset/older.md': changeset({ core: 'major', ships: 'major', sdk: 'major' }),
  }
}

/** A changeset by the names of packages without their scope. */
export function changeset(releases: Readonly<Record<string, string>>, text = 'Changed.'): string {
  const lines = Object.entries(releases).map(([name, bump]) => `'@fairlead/${name}': ${bump}`)
  return `---\n${lines.join('\n')}\n---\n\n${text}\n`
}

/** File contents by path. Undefined for a file to delete. */
export type Files = Readonly<Record<string, string | undefined>>

/** Writes and deletes files of a workspace. */
export async function put(root: string, files: Files): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = join(root, name)
    await mkdir(dirname(file), { recursive: true })
    if (text === undefined) await rm(file)
    else await writeFile(file, text)
  }
}
