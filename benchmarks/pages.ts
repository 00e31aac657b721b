// Writes the page of benchmarks and the figures of the README from the saved results.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { repository } from './fixtures/checkout.ts'
import { readFlags } from './fixtures/read-flags.ts'
import { renderPages } from './fixtures/report/render-pages.ts'

const flags = readFlags(import.meta.filename, {
  results: { type: 'string', default: 'benchmarks/results', description: 'folder of saved results' },
  to: { type: 'string', default: '.', description: 'folder to write docs/benchmarks.md and README.md to' },
})
for (const [file, text] of Object.entries(renderPages(resolve(repository, flags.results)))) {
  const path = resolve(repository, flags.to, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  console.log(path)
}
