import { workspaceRoot } from '@fairlead/codegen/src/families.ts'
import { parseArgs } from 'node:util'
import { commonCommit, withCheckout } from './checkout.ts'
import type { FamilyReport } from './compare-specs.ts'
import { markdownReport } from './report/markdown.ts'

const usage = `Compares the specifications of two commits and rates the differences for users.

  node tools/spec-diff/src/main.ts --base <ref> [--head <ref>] [--json | --markdown] [--fail-on breaking]

  --base      the commit to compare with; later commits on its branch are ignored
  --head      the newer commit; default: the working tree
  --json      print data instead of Markdown
  --fail-on   exit with 3 on a breaking change
  --root      a different repository

Exits with 0 after a comparison, and with 1 on an error.
`

const breakingFound = 3

const options = {
  base: { type: 'string' },
  head: { type: 'string' },
  json: { type: 'boolean', default: false },
  markdown: { type: 'boolean', default: false },
  'fail-on': { type: 'string' },
  root: { type: 'string', default: workspaceRoot },
  help: { type: 'boolean', short: 'h', default: false },
} as const

async function run(): Promise<number> {
  const { values } = parseArgs({ options })
  if (values.help) {
    process.stdout.write(usage)
    return 0
  }
  if (values.base === undefined) throw new Error('--base must name a commit')
  if (values.json && values.markdown) throw new Error('--json and --markdown exclude each other')
  if (values['fail-on'] !== undefined && values['fail-on'] !== 'breaking')
    throw new Error('--fail-on must be breaking')
  const families = await compare(values.root, values.base, values.head)
  process.stdout.write(values.json ? `${JSON.stringify({ families }, null, 2)}\n` : markdownReport(families))
  const isBreaking = families.some(({ bump }) => bump === 'major')
  return isBreaking && values['fail-on'] === 'breaking' ? breakingFound : 0
}

async function compare(
  root: string,
  base: string,
  head: string | undefined,
): Promise<readonly FamilyReport[]> {
  const from = await commonCommit(root, base, head)
  // The modules that read the documents take a while to load. A usage error is reported without them.
  const { compareSpecs } = await import('./compare-specs.ts')
  return withCheckout(root, from, ['specs'], (older) =>
    head === undefined
      ? compareSpecs(older, root)
      : withCheckout(root, head, ['specs'], (newer) => compareSpecs(older, newer)),
  )
}

try {
  process.exitCode = await run()
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
