import { commonCommit, compareSpecs, knowsRef, withCheckout } from '@fairlead/spec-diff'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { covered, explained } from './explain.ts'
import { fix } from './fix.ts'
import { judge, passes, type Verdict } from './gate.ts'

const usage = `Demands the changeset and the versions that a change needs.

  node tools/release-gate/src/main.ts [--base <ref>] [--fix]

  --base   the commit to compare the files with; without it origin/main or main, and nothing where there is neither
  --fix    raise the versions of specifications and begin the changesets that are missing
  --root   another repository than this one

Ends with 0 when everything is announced, with 2 when something is missing, and with 1 when it could not tell.
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
    process.stdout.write('There is no commit to compare with.\n')
    return 0
  }
  const verdict = await judged(values.root, base)
  if (passes(verdict)) {
    process.stdout.write(covered(verdict))
    return 0
  }
  if (!values.fix) {
    process.stderr.write(explained(verdict))
    return missing
  }
  const written = await fix(values.root, verdict)
  process.stdout.write(
    `Written, to be put into words for users:\n${written.map((file) => `  ${file}\n`).join('')}`,
  )
  const after = await judged(values.root, base)
  if (passes(after)) return 0
  process.stderr.write(explained(after))
  return missing
}

async function judged(root: string, base: string): Promise<Verdict> {
  const commit = await commonCommit(root, base, undefined)
  return withCheckout(root, commit, ['specs', 'packages', '.changeset'], async (older) =>
    judge(older, root, await compareSpecs(older, root)),
  )
}

async function defaultBase(root: string): Promise<string | undefined> {
  for (const ref of ['origin/main', 'main']) if (await knowsRef(root, ref)) return ref
  return undefined
}

try {
  process.exitCode = await run()
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
