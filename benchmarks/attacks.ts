// Attacks without credentials, each against a fresh gateway on one processor. Reports the memory of the gateway and the
// effect on a bystander.
import { fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cpuMs, memoryMb } from './fixtures/process-cost.ts'
import { readFlags } from './fixtures/read-flags.ts'
import { serve } from './fixtures/gateway-process.ts'
import { type CallReport, percentileOf, sendSteadily } from './fixtures/steady-calls.ts'
import { unauthenticatedAttacks } from './fixtures/unauthenticated-attacks.ts'

const perSecond = 50
const warmUpSeconds = 5
const baselineSeconds = 10
const sampleMs = 500
const errorLevel = 50

const flags = readFlags(import.meta.filename, {
  seconds: { type: 'string', default: '120', description: 'of each attack' },
  only: {
    type: 'string',
    default: Object.keys(unauthenticatedAttacks).join(';'),
    description: 'some of these, with ; between them',
  },
})
const seconds = Number(flags.seconds)
if (!(seconds > 0)) throw new Error('--seconds takes a number above zero.')
const unknown = flags.only.split(';').filter((name) => !(name in unauthenticatedAttacks))
if (unknown.length > 0) throw new Error(`There is no attack with the name ${unknown.join(', ')}.`)

// The gateway has one processor, everything else has the other.
pin(process.pid, 1)
console.log(
  `${'attack'.padEnd(30)}alive  MB before  MB most  CPU %  errors  p50 alone  attack  p99 alone  attack  errors logged  unexpected`,
)
for (const name of flags.only.split(';')) await measure(name)
process.exit(0)

async function measure(name: string): Promise<void> {
  const node = fork(new URL('fixtures/faulty-node.ts', import.meta.url), ['2'])
  const [port] = (await once(node, 'message')) as [number]
  const gateway = await serve({ FAIRLEAD_EVM_UPSTREAM: `http://127.0.0.1:${port}` })
  pin(gateway.processId, 0)
  const isAlive = () => existsSync(`/proc/${gateway.processId}/stat`)
  const bystander = {
    url: `${gateway.url}/${gateway.token}`,
    perSecond,
    requestOf: (number: number) => ({ body: bodyOf(number) }),
  }
  await sendSteadily({ ...bystander, seconds: warmUpSeconds })
  const baseline = await sendSteadily({ ...bystander, seconds: baselineSeconds })
  const before = memoryMb(gateway.processId)
  let max = before
  const sampler = setInterval(() => {
    if (isAlive()) max = Math.max(max, memoryMb(gateway.processId))
  }, sampleMs)
  const attack = fork(new URL('fixtures/unauthenticated-attacks.ts', import.meta.url), [name, gateway.url])
  const began = { at: performance.now(), cpu: cpuMs(gateway.processId) }
  const duringAttack = await sendSteadily({ ...bystander, seconds })
  const cpu = isAlive() ? (cpuMs(gateway.processId) - began.cpu) / (performance.now() - began.at) : Number.NaN
  attack.kill('SIGKILL')
  clearInterval(sampler)
  const alive = isAlive()
  const unexpected = alive ? await unexpectedErrors(gateway.url) : Number.NaN
  print({
    name,
    alive,
    before,
    max,
    cpu,
    baseline,
    duringAttack,
    logged: errorsIn(gateway.log()),
    unexpected,
  })
  node.kill('SIGKILL')
  await gateway.stop()
}

interface Row {
  readonly name: string
  readonly alive: boolean
  readonly before: number
  readonly max: number
  /** Share of one processor that the gateway used during the attack. */
  readonly cpu: number
  readonly baseline: CallReport
  readonly duringAttack: CallReport
  readonly logged: readonly string[]
  readonly unexpected: number
}

function print({ name, alive, before, max, cpu, baseline, duringAttack, logged, unexpected }: Row): void {
  const ms = (report: CallReport, share: number, width: number) =>
    percentileOf(report, share).toFixed(1).padStart(width)
  console.log(
    name.padEnd(30) +
      (alive ? 'yes' : 'NO').padStart(5) +
      before.toFixed(0).padStart(11) +
      max.toFixed(0).padStart(9) +
      (cpu * 100).toFixed(0).padStart(7) +
      String(duringAttack.errors).padStart(8) +
      ms(baseline, 0.5, 11) +
      ms(duringAttack, 0.5, 8) +
      ms(baseline, 0.99, 11) +
      ms(duringAttack, 0.99, 8) +
      String(logged.length).padStart(15) +
      String(unexpected).padStart(12),
  )
  for (const line of logged.slice(0, 3)) console.error(`  ${line}`)
  for (const example of duringAttack.examples) console.error(`  ${JSON.stringify(example)}`)
}

function pin(processId: number, processor: number): void {
  const { error } = spawnSync('taskset', ['-a', '-c', '-p', String(processor), String(processId)])
  if (error !== undefined) throw new Error('taskset is needed to give the gateway one processor.')
}

/** Log lines of level error and above. */
function errorsIn(output: string): readonly string[] {
  return output.split('\n').filter((line) => Number(/"level":(\d+)/.exec(line)?.[1]) >= errorLevel)
}

async function unexpectedErrors(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return [...text.matchAll(/^fairlead_unexpected_errors_total\S* (\d+)/gm)].reduce(
    (total, [, count]) => total + Number(count),
    0,
  )
}

function bodyOf(number: number): string {
  const address = `0x${number.toString(16).padStart(40, '0')}`
  return `{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["${address}","latest"]}`
}
