import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { beaconPageFile, beaconPageText } from './beacon-operation-table.ts'
import { jettonPageFile, jettonPageText } from './jetton-operation-table.ts'

// Writes the reference pages of the operations. Run it after a change of a specification or of an embedded chain.
writeFileSync(beaconPageFile, beaconPageText())
writeFileSync(jettonPageFile, jettonPageText())
execFileSync('oxfmt', [beaconPageFile, jettonPageFile])
