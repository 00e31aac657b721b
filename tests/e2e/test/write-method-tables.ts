import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { pageFile, pageText, probeBoth, tableFiles, tableText } from './method-table.ts'

// Writes what method-table.test.ts compares with; run it when the specification, the engine or an adapter has changed.
const tables = await probeBoth()
writeFileSync(tableFiles.engine, tableText(tables.engine))
writeFileSync(tableFiles.gateway, tableText(tables.gateway))
writeFileSync(pageFile, pageText(tables))
execFileSync('oxfmt', [tableFiles.engine, tableFiles.gateway, pageFile])
