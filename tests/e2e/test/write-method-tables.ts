import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { pageFile, pageText, probeBoth, tableFiles, tableText } from './method-table.ts'

// Writes the expected tables of the tests. Run it after a change of a specification, the engine or an adapter.
const tables = await probeBoth()
writeFileSync(tableFiles.engine, tableText(tables.engine))
writeFileSync(tableFiles.gateway, tableText(tables.gateway))
writeFileSync(pageFile, pageText(tables))
execFileSync('oxfmt', [tableFiles.engine, tableFiles.gateway, pageFile])
