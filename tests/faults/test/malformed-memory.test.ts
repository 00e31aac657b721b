import { malformedRequests } from '@fairlead/e2e-tests/malformed-requests'
import { malformedTransfers, sendBytes } from '@fairlead/e2e-tests/malformed-transfers'
import { evmOnly, type DevelopmentGateway, startGateway, temporaryFolder } from '@fairlead/e2e-tests/gateway'
import { type MemoryMeter, memoryMeter } from '@fairlead/vitest/memory-meter'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'

const rounds = 50
const warmUp = 20

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let gateway: DevelopmentGateway
let meter: MemoryMeter
let url: URL

beforeAll(async () => {
  folder = await temporaryFolder(inject('database'))
  meter = await memoryMeter()
  gateway = await startGateway(folder.path, { ...evmOnly, ...meter.environment })
  url = new URL(`${gateway.file.base_url}/${gateway.file.nodes[0].token}`)
})

afterAll(async () => {
  await gateway.end('SIGTERM')
  await folder.remove()
})

async function post(body: string | Uint8Array): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', body: body as Uint8Array<ArrayBuffer>, headers })
  return response.text()
}

it('malformed requests leak no memory', { timeout: 600_000 }, async () => {
  const transfers = malformedTransfers(url.pathname)
  const resident: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    await Promise.all([
      (async () => {
        for (const { body } of malformedRequests) await post(body)
      })(),
      (async () => {
        for (const { text } of transfers) await sendBytes(url, text)
      })(),
    ])
    resident.push(await meter.residentBytes(gateway.process.pid))
  }
  expect(await post('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}')).toContain('0x')
  // A collection may leave some garbage, so only the minima show which memory stays in use.
  const lowestBetween = (from: number, to: number) => Math.min(...resident.slice(from, to))
  const early = lowestBetween(warmUp, rounds / 2)
  const lateLowest = lowestBetween(rounds / 2, rounds)
  expect(lateLowest, `from ${early} bytes`).toBeLessThan(early * 1.1)
  // The gateway still runs, and logs none of these requests as an internal failure.
  expect(gateway.process.exitCode).toBeNull()
  expect(gateway.output()).not.toContain('node request failed')
})
