import { commonCommit, compareSpecs, refExists, withCheckout } from '@fairlead/spec-diff'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { describeSuccess, explainProblems } from './explain.ts'
import { fix } from './fix.ts'
import { checkGate, passes, type GateResult } from './gate.ts'

const usage = `Checks that a change has the required changesets and versions.

  node tools/release-gate/src/main.ts [--base <ref>] [--fix]

  --base   the commit to compare with; default: origin/main or main; without both, nothing is compared
  --fix    raise the versions of specifications and create the missing changesets
  --root   a different repository

Exits with 0 when all changes are announced, with 2 when an announcement is missing, and with 1 on an error.
`

const missing = 2

const options = {
  base: { type: 'string' },
  fix: { type: 'boolean', default: false },
  root: { type: 'string', default: resolve(import.meta.dirname, '../../..') },
  help: { type: 'boolean', short: 'h', default: false },
} as const

async function run(): Promise<number> {
  const { values } = parseArgs({ options })
  if (values.help) {
    process.stdout.write(usage)
    return 0
  }
  const base = values.base ?? (await defaultBase(values.root))
  if (base === undefined) {
    process.stdout.write('No commit to compare with.\n')
    return 0
  }
  const result = await runGate(values.root, base)
  if (passes(result)) {
    process.stdout.write(describeSuccess(result))
    return 0
  }
  if (!values.fix) {
    process.stderr.write(explainProblems(result))
    return missing
  }
  const written = await fix(values.root, result)
  process.stdout.write(
    `Written; edit these texts for users:\n${written.map((file) => `  ${file}\n`).join('')}`,
  )
  const after = await runGate(values.root, base)
  if (passes(after)) return 0
  process.stderr.write(explainProblems(after))
  return missing
}

async function runGate(root: string, base: string): Promise<GateResult> {
  const commit = await commonCommit(root, base, undefined)
  return withCheckout(root, commit, ['specs', 'packages', '.changeset'], async (older) =>
    checkGate(older, root, await compareSpecs(older, root)),
  )
}

async function defaultBase(root: string): Promise<string | undefined> {
  for (const ref of ['origin/main', 'main']) if (await refExists(root, ref)) return ref
  return undefined
}

try {
  process.exitCode = await run()
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
