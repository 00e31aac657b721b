// Attacks on a gateway from the sources, each on a new one: npm run attacks -- --seconds 60 --only http2:open:window
import { parseArgs } from 'node:util'
import { namedAttacks, namesOf } from './attacks/all-attacks.ts'
import { allCombinations, exclusionOf, nameOf } from './combinations/combination.ts'
import { AttackRun } from './measurement/attack-run.ts'
import { sharedMachineCriteria, strictCriteria } from './measurement/criteria.ts'
import { tableHead, tableRow } from './measurement/table.ts'

const usage = `usage: npm run attacks -- [flags]
  --seconds 60   of each attack
  --alone 10     seconds in which the bystander is measured without an attack
  --only <names> some attacks, with commas between them; * stands for any text; default: all that have a name
  --list         prints the names, and why combinations are excluded
  --reuse        attacks a gateway that has withstood an attack again, instead of a new one for each attack
  --shared       uses the criteria for a machine that also runs other programs
  --redis        the gateway has a shared store
  --processes    the gateway has two processes
  --tls          the attack and the bystander use the TLS port
  --nginx        both go through nginx, configured as in docs/self-hosting/replicas.md
`
const boolean = { type: 'boolean', default: false } as const

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    alone: { type: 'string', default: '10' },
    only: { type: 'string', default: Object.keys(namedAttacks).join(',') },
    list: boolean,
    reuse: boolean,
    shared: boolean,
    redis: boolean,
    processes: boolean,
    tls: boolean,
    nginx: boolean,
    help: boolean,
  },
})

if (flags.help) print(usage)
else if (flags.list) list()
else process.exitCode = (await attackWith(flags.only.split(',').flatMap(namesOf))) ? 0 : 1

function list(): void {
  for (const name of Object.keys(namedAttacks)) print(`${name}\n`)
  for (const combination of allCombinations) {
    const reason = exclusionOf(combination)
    print(`${nameOf(combination)}${reason === undefined ? '' : ` (excluded: ${reason})`}\n`)
  }
}

/** Returns whether the gateway has withstood all attacks. */
async function attackWith(names: readonly string[]): Promise<boolean> {
  const run = new AttackRun({
    deployment: flags,
    criteria: flags.shared ? sharedMachineCriteria : strictCriteria,
    seconds: Number(flags.seconds),
    aloneSeconds: Number(flags.alone),
    isReused: flags.reuse,
  })
  print(`${tableHead}\n`)
  let failures = 0
  for (const name of names) {
    const { report, violations } = await run.attack(name)
    print(`${tableRow(report)}\n${violations.map((violation) => `  ${violation}\n`).join('')}`)
    if (violations.length > 0) failures += 1
  }
  await run.stop()
  print(`${names.length - failures} of ${names.length} withstood\n`)
  return failures === 0
}

function print(text: string): void {
  process.stdout.write(text)
}
