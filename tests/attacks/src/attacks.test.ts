import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresPrograms } from '@fairlead/vitest/postgres'
import { namedAttacks, provenAttacks } from './attacks/all-attacks.ts'
import { combinations, nameOf } from './combinations/combination.ts'
import { drawn } from '@fairlead/vitest/draw'
import { plainDeployment } from './environment/attacked-gateway.ts'
import { AttackRun } from './measurement/attack-run.ts'
import { sharedMachineCriteria } from './measurement/criteria.ts'
import { tableHead, tableRow } from './measurement/table.ts'

// FAIRLEAD_ATTACK_SEED draws other attacks, FAIRLEAD_ATTACK_SECONDS is the time of each attack.
const seed = Number(process.env['FAIRLEAD_ATTACK_SEED'] ?? 1)
const seconds = Number(process.env['FAIRLEAD_ATTACK_SECONDS'] ?? 1.5)
const otherAttacks = drawn(
  Object.keys(namedAttacks).filter((name) => !provenAttacks.includes(name)),
  8,
  seed,
)
const generatedAttacks = drawn(combinations, 6, seed).map(nameOf)

const run = new AttackRun({
  deployment: plainDeployment,
  criteria: sharedMachineCriteria,
  seconds,
  aloneSeconds: 2,
  isReused: true,
})

describe.skipIf(postgresPrograms === undefined)('a gateway under attack (needs PostgreSQL)', () => {
  beforeAll(() => void process.stdout.write(`seed of the drawn attacks: ${seed}\n${tableHead}\n`))
  afterAll(() => run.stop())

  it.each([...provenAttacks, ...otherAttacks, ...generatedAttacks])(
    'serves other organizations, within its memory, during %s',
    async (name) => {
      const { report, violations, output } = await run.attack(name)
      process.stdout.write(`${tableRow(report)}\n`)
      expect(violations, output.slice(-2_000)).toEqual([])
    },
  )
})
