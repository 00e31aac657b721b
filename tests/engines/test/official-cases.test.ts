import { type Served, serve } from '@fairlead/e2e-tests/served'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { type RequestFn, overHttp, type Response } from './rpc-client.ts'
import { Comparison } from './comparison.ts'
import { everyState } from './driven-geth.ts'
import { EngineNode } from './engine-node.ts'
import { type Geth, gethFolder, importChain, initialize, startGeth } from './geth.ts'
import { canBuildGo } from './go-program.ts'
import { officialTests, readOfficialCases } from './official-cases.ts'

// FAIRLEAD_EXECUTION_APIS names a clone of https://github.com/ethereum/execution-apis.
const namespaces = 'eth,net,web3,debug,txpool,testing'

test.skipIf(!canBuildGo || officialTests === undefined)(
  'the gateway responds to the execution-apis cases like go-ethereum',
  async () => {
    const tests = officialTests ?? ''
    const cases = await readOfficialCases(tests)
    expect(cases.length).toBeGreaterThan(200)
    // Some cases change the transaction pool, so each side has a separate node.
    const direct = overHttp((await nodeWith(tests)).httpUrl)
    const viaGateway = await requestViaGateway(await nodeWith(tests))
    const comparison = new Comparison('official-cases')
    const unexpected: string[] = []
    for (const { name, method, params, expected, isFormOnly } of cases) {
      const [directResponse, gatewayResponse] = [
        await direct(method, params),
        await viaGateway(method, params),
      ]
      comparison.add({ method, params, isMalformed: false }, directResponse, gatewayResponse, name)
      if (!isFormOnly && !isAsExpected(directResponse, expected)) unexpected.push(name)
    }
    // Only printed: the cases are for a version of go-ethereum other than the one in go.mod.
    const formOnly = cases.filter(({ isFormOnly }) => isFormOnly).length
    process.stdout.write(
      `go-ethereum: ${cases.length} cases, ${formOnly} of form only, ` +
        `${unexpected.length} other than expected: ${unexpected.join(', ')}\n`,
    )
    await comparison.report()
    expect(comparison.different).toEqual([])
  },
)

/** Starts a node with the chain of the cases, and sets its head as a consensus client does. */
async function nodeWith(tests: string): Promise<Geth> {
  const folder = await gethFolder()
  onTestFinished(folder.remove)
  const genesis = JSON.parse(await readFile(join(tests, 'genesis.json'), 'utf8')) as object
  await initialize(folder.path, genesis, everyState)
  await importChain(folder.path, join(tests, 'chain.rlp'), everyState)
  const geth = await startGeth({ folder: folder.path, flags: everyState, namespaces })
  onTestFinished(() => geth.stop('SIGKILL'))
  const headFile = await readFile(join(tests, 'headfcu.json'), 'utf8')
  const { params } = JSON.parse(headFile) as {
    readonly params: readonly [Record<'headBlockHash' | 'safeBlockHash' | 'finalizedBlockHash', string>]
  }
  const [{ headBlockHash, safeBlockHash, finalizedBlockHash }] = params
  const node = await EngineNode.of({ geth, folder: folder.path })
  await node.choose(headBlockHash, safeBlockHash, finalizedBlockHash)
  return geth
}

async function requestViaGateway({ httpUrl, webSocketUrl }: Geth): Promise<RequestFn> {
  const gateway: Served = await serve({
    FAIRLEAD_EVM_UPSTREAM: httpUrl,
    FAIRLEAD_EVM_WEBSOCKET_UPSTREAM: webSocketUrl,
  })
  onTestFinished(() => gateway.remove())
  return overHttp(`${gateway.url}/${gateway.token}`)
}

function isAsExpected(response: Response, expected: Response): boolean {
  if (expected.error !== undefined) return response.error?.code === expected.error.code
  return isDeepStrictEqual(response.result, expected.result)
}
