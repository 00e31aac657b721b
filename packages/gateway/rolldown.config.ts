import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import type { Plugin, RolldownOptions } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}

const { dependencies, devDependencies, peerDependencies } = JSON.parse(
  readFileSync(new URL('package.json', import.meta.url), 'utf8'),
) as Manifest
// Private packages, which users cannot install.
const bundled = Object.keys(devDependencies).filter(
  (name) => name.startsWith('@fairlead/') && !Object.hasOwn(peerDependencies, name),
)

const isOf = (specifier: string) => (name: string) => specifier === name || specifier.startsWith(`${name}/`)

/**
 * Returns whether the bundle imports a module instead of including it. Throws for a package that is not installed with
 * it.
 */
function isInstalled(specifier: string): boolean {
  if (/^[./]/.test(specifier) || bundled.some(isOf(specifier))) return false
  const installed = Object.keys({ ...dependencies, ...peerDependencies })
  if (isBuiltin(specifier) || installed.some(isOf(specifier))) return true
  throw new Error(`${specifier} is bundled with the gateway, so package.json has to depend on it.`)
}

// Required by another dependency, but never imported.
const peers = ['@ton/crypto']

/** Fails when a dependency is installed but not imported. */
const everyDependencyIsImported: Plugin = {
  name: 'every-dependency-is-imported',
  generateBundle: (_, files) => {
    const imported = Object.values(files).flatMap((file) =>
      file.type === 'chunk' ? [...file.imports, ...file.dynamicImports] : [],
    )
    const isImported = (name: string) => imported.some((specifier) => isOf(specifier)(name))
    const unused = Object.keys(dependencies).filter((name) => !peers.includes(name) && !isImported(name))
    if (unused.length > 0) throw new Error(`The bundle does not import ${unused.join(', ')}.`)
  },
}

const shared = {
  platform: 'node',
  external: isInstalled,
  resolve: { conditionNames: ['@fairlead/source'] },
} satisfies RolldownOptions

export default [
  {
    ...shared,
    input: { bin: 'src/bin.ts', index: 'src/index.ts', protocol: 'src/protocol.ts' },
    plugins: [everyDependencyIsImported],
    output: { dir: 'dist', cleanDir: true, chunkFileNames: '[name]-[hash].js' },
  },
  {
    ...shared,
    input: { index: './src/index.ts', protocol: './src/protocol.ts' },
    plugins: [dts({ emitDtsOnly: true, tsconfig: '../../tsconfig.bundle.json' })],
    output: { dir: 'dist' },
  },
] satisfies RolldownOptions[]
