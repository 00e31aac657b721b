// Runtimes and compilers other than the ones that the project runs on. They have a workspace package to themselves
// because a package that depends on one gets its commands put on the path of every script, before its own `node` and `tsc`.
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

/** The oldest Node that the published packages promise, or undefined on a system that it is not published for. */
export function oldestNode(): string | undefined {
  try {
    return join(dirname(require.resolve('n20/package.json')), 'bin/node')
  } catch {
    return undefined
  }
}

/** The compilers that the published types promise to work with: version, and the script to run with Node. */
export const typescriptCompilers: readonly (readonly [version: string, script: string])[] = [
  ['5.9', scriptBeside(require.resolve('typescript-5.9/package.json'))],
  ['6.0', scriptBeside(require.resolve('typescript-6.0/package.json'))],
  ['7.0', scriptBeside(require.resolve('typescript/package.json'))],
]

function scriptBeside(manifest: string): string {
  return join(dirname(manifest), 'bin/tsc')
}
