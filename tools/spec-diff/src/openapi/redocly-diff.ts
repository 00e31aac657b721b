import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

/** The location of a change in one of the two documents. */
export interface RedoclyLocation {
  readonly pointer: string
  readonly value?: unknown
}

/** A difference as `redocly diff` reports it. */
export interface RedoclyChange {
  /** The position at which the changed node is used: within a path, even if the node is a component. */
  readonly path: string
  readonly typeName: string
  readonly kind: 'added' | 'removed' | 'modified'
  readonly impact: 'major' | 'minor' | 'patch'
  readonly verdicts: readonly { readonly ruleId: string; readonly impact: string; readonly message: string }[]
  readonly property?: string
  readonly base?: RedoclyLocation
  readonly revision?: RedoclyLocation
}

const program = join(
  dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')),
  'bin/cli.js',
)

/**
 * Compares two complete OpenAPI documents with `redocly diff`.
 *
 * @throws Error with the output of the program
 */
export async function redoclyDiff(base: object, head: object): Promise<readonly RedoclyChange[]> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-spec-diff-'))
  try {
    await writeFile(join(folder, 'base.json'), JSON.stringify(base))
    await writeFile(join(folder, 'head.json'), JSON.stringify(head))
    const options = ['--format', 'json', '--fail-on', 'none', '--output', 'changes.json']
    // In an empty folder, the program finds no configuration and applies its default rules.
    await promisify(execFile)(process.execPath, [program, 'diff', 'base.json', 'head.json', ...options], {
      cwd: folder,
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    })
    const report = JSON.parse(await readFile(join(folder, 'changes.json'), 'utf8')) as {
      changes: RedoclyChange[]
    }
    return report.changes
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
