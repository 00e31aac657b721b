// Runtimes and compilers other than the ones that the project runs on. They have a workspace package to themselves
// because a package that depends on one gets its commands put on the path of every script, before its own `node` and `tsc`.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

/** The Node versions that clients are tested on: the oldest that the published packages promise comes first. */
export const nodeLines = ['20', '22', '24'] as const

/** The Node of a line, or undefined on a system that it is not published for. */
export function node(line: string): string | undefined {
  return process.version.startsWith(`v${line}.`) ? process.execPath : program(`n${line}`, 'bin/node')
}

/** The oldest Node that the published packages promise, or undefined on a system that it is not published for. */
export function oldestNode(): string | undefined {
  // Not the one that runs this: a newer one of the same line would do.
  return program(`n${nodeLines[0]}`, 'bin/node')
}

/** Bun, or undefined on a system that it is not installed on. */
export function bun(): string | undefined {
  return program('bun-linux-x64', 'bin/bun')
}

/** Deno, or undefined on a system that it is not installed on. */
export function deno(): string | undefined {
  return program('deno-linux-x64', 'deno')
}

/** A Chromium of the system, or undefined when there is none; `CHROMIUM` in the environment names another one. */
export function chromium(): string | undefined {
  const named = process.env['CHROMIUM']
  const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
  return named ?? places.find((place) => existsSync(place))
}

/** What a Chromium is started with that is to run anywhere, also for root, and to talk to nobody by itself. */
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

/** The compilers that the published types promise to work with: version, and the script to run with Node. */
export const typescriptCompilers: readonly (readonly [version: string, script: string])[] = [
  ['5.9', scriptBeside(require.resolve('typescript-5.9/package.json'))],
  ['6.0', scriptBeside(require.resolve('typescript-6.0/package.json'))],
  ['7.0', scriptBeside(require.resolve('typescript/package.json'))],
]

function scriptBeside(manifest: string): string {
  return join(dirname(manifest), 'bin/tsc')
}
