// Runtimes and compilers other than those that the project itself uses. They are in a separate workspace package
// because a package that depends on one gets its commands on the PATH of every script, before its own `node` and `tsc`.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

/**
 * The Node.js versions on which clients are tested. The oldest version that the published packages support comes first.
 */
export const nodeLines = ['20', '22', '24'] as const

/** Returns the Node.js binary of a release line. Undefined on a system without a published build. */
export function node(line: string): string | undefined {
  return process.version.startsWith(`v${line}.`) ? process.execPath : program(`n${line}`, 'bin/node')
}

/** Returns the oldest Node.js that the published packages support. Undefined on a system without a published build. */
export function oldestNode(): string | undefined {
  // Not the running binary, which may be a newer version of the same line.
  return program(`n${nodeLines[0]}`, 'bin/node')
}

/** Returns the path of Bun. Undefined on a system without it. */
export function bun(): string | undefined {
  return program('bun-linux-x64', 'bin/bun')
}

/** Returns the path of Deno. Undefined on a system without it. */
export function deno(): string | undefined {
  return program('deno-linux-x64', 'deno')
}

/**
 * Returns the path of a system Chromium. Undefined if there is none. The environment variable `CHROMIUM` overrides it.
 */
export function chromium(): string | undefined {
  const named = process.env['CHROMIUM']
  const paths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
  return named ?? paths.find((path) => existsSync(path))
}

/** Arguments with which Chromium runs on any machine, also as root, and makes no background requests. */
export const chromiumArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
]

function program(name: string, file: string): string | undefined {
  try {
    return join(dirname(require.resolve(`${name}/package.json`)), file)
  } catch {
    return undefined
  }
}

/** The compilers that the published types support: version, and the script to run with Node.js. */
export const typescriptCompilers: readonly (readonly [version: string, script: string])[] = [
  ['5.9', scriptOf(require.resolve('typescript-5.9/package.json'))],
  ['6.0', scriptOf(require.resolve('typescript-6.0/package.json'))],
  ['7.0', scriptOf(require.resolve('typescript/package.json'))],
]

function scriptOf(manifest: string): string {
  return join(dirname(manifest), 'bin/tsc')
}
