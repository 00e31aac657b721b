import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { findCoinedWords } from './find-coined-words.ts'
import { readGlossary } from './glossary.ts'
import { glossaryPage, pageOf } from './glossary-page.ts'

const usage = `Checks the vocabulary of the project against tools/vocabulary/glossary.yaml.

  npm run vocabulary               list coined words; exit 1 when there are any
  npm run vocabulary -- --write    write ${glossaryPage} from the terms
`

const { values } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
const root = resolve(import.meta.dirname, '../../..')
const glossary = readGlossary(root)
if (values.help) process.stdout.write(usage)
else if (values.write) writeFileSync(`${root}/${glossaryPage}`, pageOf(glossary))
else {
  const found = findCoinedWords(root, glossary)
  for (const { file, line, word, instead } of found) {
    process.stdout.write(`${file}:${line} "${word}": write ${instead}\n`)
  }
  process.stderr.write(`${found.length} coined words\n`)
  process.exitCode = found.length > 0 ? 1 : 0
}
