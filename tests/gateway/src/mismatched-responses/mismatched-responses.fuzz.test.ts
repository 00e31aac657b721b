import { drawFrom } from '@fairlead/http1/testing/generated-messages'
import { expect, it, onTestFinished } from 'vitest'
import { CaseReport, described } from './case-report.ts'
import { generatedCase } from './generated-case.ts'
import { type Fault, faults } from './response-faults.ts'
import { CaseRunner, firstNumber } from './run-case.ts'

// A longer run: MISMATCH_CALLS=100000 MISMATCH_SEED=2 vitest run mismatched-responses
// Only the faults whose names contain a text: MISMATCH_FAULTS='batch:'
const minCalls = Number(process.env['MISMATCH_CALLS'] ?? 2_500)
const seed = Number(process.env['MISMATCH_SEED'] ?? 9)
const selected = faults.filter(({ name }) => name.includes(process.env['MISMATCH_FAULTS'] ?? ''))
const timeoutMs = 10_000
// For the fault with which calls time out.
const shortTimeoutMs = 500

it('every response belongs to its call, whatever an upstream sends', { timeout: 7_200_000 }, async () => {
  const runners = await Promise.all([timeoutMs, shortTimeoutMs].map((ms) => CaseRunner.start(ms)))
  onTestFinished(async () => void (await Promise.all(runners.map((runner) => runner.stop()))))
  const [patient, impatient] = runners as [CaseRunner, CaseRunner]
  const draw = drawFrom(seed)
  const total = new CaseReport()
  const reports = new Map(selected.map((fault) => [fault, new CaseReport()]))
  const examples = new Map<Fault, string>()
  while (total.calls < minCalls) {
    for (const [fault, report] of reports) {
      const runner = fault.mayFail === 'all' ? impatient : patient
      const generated = generatedCase(draw, fault, total.calls + firstNumber)
      const result = await runner.run(generated, (outcome) => {
        if (!examples.has(fault)) examples.set(fault, described(generated, outcome))
      })
      report.add(result)
      total.add(result)
    }
  }
  process.stdout.write(`seed ${seed}: ${total.text}\n`)
  const wrong = [...reports].filter(([fault, report]) => isWrong(fault, report))
  expect(wrong.map(([fault, report]) => [fault.name, report.text, examples.get(fault)])).toEqual([])
})

function isWrong({ isMismatch = false }: Fault, report: CaseReport): boolean {
  const { foreign, failures, mismatches, faults: occurred, cases } = report
  // Few cases may leave no opportunity for a fault, or end before its last bytes arrive.
  const isMissing = (occurred === 0 && cases >= 3) || (isMismatch && mismatches === 0 && occurred >= 5)
  return foreign > 0 || failures > 0 || isMissing
}
