import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { findViolations, lineOf } from './find-violations.ts'
import { readPages } from './pages.ts'
import { readRules } from './rules.ts'
import { statisticsOf, tableOf } from './statistics.ts'

const usage = `Checks the prose of the pages, READMEs and changesets against tools/prose/rules.yaml.

  npm run prose                        list violations; exit 1 when there are any
  npm run prose -- docs/guides/evm.md  list those of some files
  npm run prose -- --statistics        print length and passive voice of sentences by area
    --ref <commit>                     check or measure the files of a commit
    --max-words <number>               check with a lower limit
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    statistics: { type: 'boolean', default: false },
    ref: { type: 'string' },
    'max-words': { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
const root = resolve(import.meta.dirname, '../../..')
if (values.help) {
  process.stdout.write(usage)
} else {
  const pages = readPages(root, values.ref).filter(
    ({ path }) => positionals.length === 0 || positionals.some((name) => path.startsWith(name)),
  )
  if (values.statistics) {
    process.stdout.write(tableOf(statisticsOf(pages)))
  } else {
    const rules = readRules(root)
    const maxWords = Math.min(Number(values['max-words'] ?? rules.maxWords), rules.maxWords)
    const violations = findViolations(pages, { ...rules, maxWords })
    process.stdout.write(violations.map((violation) => `${lineOf(violation)}\n`).join(''))
    process.stderr.write(`${violations.length} violations in ${pages.length} files\n`)
    process.exitCode = violations.length > 0 ? 1 : 0
  }
}
