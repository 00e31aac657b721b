import { type Served, serve } from '@fairlead/e2e-tests/served'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Ask, inBatches, overHttp, overWebSocket, type Response } from './ask.ts'
import { allowedDifferences } from './allowed-differences.ts'
import { type Case, casesOf, fillChain } from './geth-cases.ts'
import { type Geth, startGeth } from './geth.ts'
import { hasGo } from './go-program.ts'

describe.skipIf(!hasGo)('the gateway answers like go-ethereum', () => {
  let geth: Geth
  let gateway: Served
  let cases: readonly Case[]

  beforeAll(async () => {
    geth = await startGeth()
    cases = casesOf(await fillChain(overHttp(geth.httpUrl)))
    gateway = await serve({
      FAIRLEAD_EVM_UPSTREAM: geth.httpUrl,
      FAIRLEAD_EVM_WEBSOCKET_UPSTREAM: geth.webSocketUrl,
    })
  })
  afterAll(async () => {
    await gateway.remove()
    await geth.stop()
  })

  it.each(['HTTP', 'batches', 'WebSocket'])('over %s', async (transport) => {
    const both = await askersOf(transport, geth, gateway)
    const different: string[] = []
    let explained = 0
    for (const { method, params } of cases) {
      const [direct, through] = await Promise.all([both.direct(method, params), both.through(method, params)])
      const [expected, received] = [formOf(direct), formOf(through)]
      if (expected === received) continue
      if (isAllowed(method, direct, through)) explained += 1
      else different.push(`${method} ${JSON.stringify(params)}: ${expected} | ${received}`)
    }
    const equal = cases.length - explained - different.length
    process.stdout.write(`${transport}: ${cases.length} cases, ${equal} equal, ${explained} explained\n`)
    expect(different).toEqual([])
  })
})

/** Calls geth itself, and through the gateway. */
async function askersOf(
  transport: string,
  geth: Geth,
  { url, token }: Served,
): Promise<{ readonly direct: Ask; readonly through: Ask }> {
  if (transport === 'WebSocket') {
    const address = `${url.replace('http', 'ws')}/ws/${token}`
    return { direct: await overWebSocket(geth.webSocketUrl), through: await overWebSocket(address) }
  }
  const over = transport === 'HTTP' ? overHttp : inBatches
  return { direct: over(geth.httpUrl), through: over(`${url}/${token}`) }
}

function isAllowed(method: string, direct: Response, through: Response): boolean {
  return allowedDifferences.some(
    (difference) => difference.method === method && difference.allows(direct, through),
  )
}

/** The part of a response that programs rely on: JSON-RPC 2.0, section 5.1, leaves the message of an error to the server. */
function formOf({ result, error }: Response): string {
  return JSON.stringify(error === undefined ? { result } : { code: error.code, data: error.data })
}
