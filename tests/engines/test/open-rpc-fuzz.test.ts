import { serve } from '@fairlead/e2e-tests/served'
import { evmOnly, type ServerProcess, startGateway, temporaryFolder } from '@fairlead/e2e-tests/gateway'
import { expect, onTestFinished, test } from 'vitest'
import { overHttp } from './rpc-client.ts'
import { fuzz, type Fuzzed } from './fuzz.ts'
import { fillChain } from './geth-cases.ts'
import { gethFolder, startGeth } from './geth.ts'
import { canBuildGo } from './go-program.ts'

// FAIRLEAD_FUZZ_SEED selects the calls, FAIRLEAD_FUZZ_CALLS is their number for each node, and FAIRLEAD_FUZZ_SECONDS is
// the maximum time for both nodes together.
const seed = Number(process.env['FAIRLEAD_FUZZ_SEED'] ?? 20_261_124)
const calls = Number(process.env['FAIRLEAD_FUZZ_CALLS'] ?? 10_000)
const seconds = Number(process.env['FAIRLEAD_FUZZ_SECONDS'] ?? 120) / 2
const timeout = seconds * 1_000 + 300_000

test('every response matches the OpenRPC document, in front of anvil', { timeout }, async () => {
  const folder = await temporaryFolder()
  onTestFinished(() => folder.remove())
  const gateway = await startGateway(folder.path, evmOnly)
  onTestFinished(async () => {
    await gateway.end('SIGTERM')
  })
  const [{ node_url: url, token }] = gateway.file.nodes
  examine('anvil', await fuzz({ url: `${url}/${token}`, seed, calls, seconds }), gateway)
})

test.skipIf(!canBuildGo)(
  'every response matches the OpenRPC document, in front of go-ethereum',
  { timeout },
  async () => {
    const folder = await gethFolder()
    onTestFinished(() => folder.remove())
    const geth = await startGeth({ folder: folder.path, flags: ['--dev'] })
    onTestFinished(() => geth.stop())
    await fillChain(overHttp(geth.httpUrl))
    const gateway = await serve({ FAIRLEAD_EVM_UPSTREAM: geth.httpUrl })
    onTestFinished(() => gateway.remove())
    const fuzzed = await fuzz({ url: `${gateway.url}/${gateway.token}`, seed, calls, seconds })
    examine('go-ethereum', fuzzed, gateway)
    expect(fuzzed.unanswered).toEqual([])
  },
)

function examine(node: string, fuzzed: Fuzzed, gateway: ServerProcess) {
  const { results, errors, deviations, unanswered, problems } = fuzzed
  const sent = results + errors + unanswered.length
  process.stdout.write(
    `${node}: seed ${seed}, ${sent} of ${calls} calls${sent < calls ? `: ${seconds} s were over` : ''}; ` +
      `${results} results, ${errors} errors, ${deviations} deviations, ${unanswered.length} unanswered\n`,
  )
  expect(problems).toEqual([])
  expect(results).toBeGreaterThan(0)
  expect(gateway.output()).not.toMatch(/unexpected error|request failed/)
}
