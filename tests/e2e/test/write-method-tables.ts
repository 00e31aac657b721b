import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { beaconPageFile, beaconPageText } from './beacon-operation-table.ts'
import { jettonPageFile, jettonPageText } from './jetton-operation-table.ts'
import { pageFile, pageText, probeBoth, tableFiles, tableText } from './method-table.ts'

// Writes the expected tables of the tests. Run it after a change of a specification, the engine or an adapter.
const tables = await probeBoth()
writeFileSync(tableFiles.engine, tableText(tables.engine))
writeFileSync(tableFiles.gateway, tableText(tables.gateway))
writeFileSync(pageFile, pageText(tables))
writeFileSync(beaconPageFile, beaconPageText())
writeFileSync(jettonPageFile, jettonPageText())
execFileSync('oxfmt', [tableFiles.engine, tableFiles.gateway, pageFile, beaconPageFile, jettonPageFile])
