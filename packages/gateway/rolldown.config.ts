import { readFileSync } from 'node:fs'
import type { RolldownOptions } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'

interface Manifest {
  readonly devDependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}

const { devDependencies, peerDependencies } = JSON.parse(
  readFileSync(new URL('package.json', import.meta.url), 'utf8'),
) as Manifest
// Private packages, which users cannot install.
const bundled = Object.keys(devDependencies).filter(
  (name) => name.startsWith('@fairlead/') && !Object.hasOwn(peerDependencies, name),
)

function isInstalled(specifier: string): boolean {
  if (/^[./]/.test(specifier)) return false
  return !bundled.some((name) => specifier === name || specifier.startsWith(`${name}/`))
}

const shared = {
  platform: 'node',
  external: isInstalled,
  resolve: { conditionNames: ['@fairlead/source'] },
} satisfies RolldownOptions

export default [
  {
    ...shared,
    input: { bin: 'src/bin.ts', index: 'src/index.ts' },
    output: { dir: 'dist', cleanDir: true, chunkFileNames: '[name]-[hash].js' },
  },
  {
    ...shared,
    input: 'src/index.ts',
    plugins: [dts({ emitDtsOnly: true, tsconfig: 'tsconfig.build.json' })],
    output: { dir: 'dist' },
  },
] satisfies RolldownOptions[]
