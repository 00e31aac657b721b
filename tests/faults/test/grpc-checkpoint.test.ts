import { CommitmentLevel } from '@fairlead/grpc/geyser'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type StandaloneChain, clientOf, type GeyserClient, startStandaloneChain } from './grpc-network.ts'
import { startProcess } from './grpc-process.ts'
import { createChainRecord } from './grpc-record.ts'

vi.setConfig({ testTimeout: 180_000 })

const consumer = resolve(import.meta.dirname, 'grpc-consumer-process.ts')
const commitment = CommitmentLevel.CONFIRMED
const kills = 10

let standalone: StandaloneChain
let direct: GeyserClient
let directory: string

beforeAll(async () => {
  standalone = await startStandaloneChain({ secondsPerSlot: 0.2 })
  direct = clientOf(standalone.chain.url, 'none')
  directory = await mkdtemp(join(tmpdir(), 'fairlead-consumer-'))
})

afterAll(async () => {
  await direct?.disconnect()
  await standalone?.stop()
  await rm(directory, { recursive: true, force: true })
})

it('a consumer that is killed repeatedly processes everything, and a few slots twice', async () => {
  const files = [join(directory, 'seen'), join(directory, 'checkpoint')] as const
  const lines = async () => {
    const text = await readFile(files[0], 'utf8').catch(() => '')
    // The last line may be incomplete.
    return text.split('\n').slice(0, -1)
  }
  let firstSlot = 0n
  let record: ReturnType<typeof createChainRecord> | undefined
  for (let attempt = 0; attempt <= kills; attempt++) {
    const before = (await lines()).length
    const running = await startProcess({
      arguments: [consumer, standalone.upstream.url, 'none', ...files],
      ready: /reading/,
      cwd: directory,
    })
    // At least one line, and then a varying number up to a few slots more. The first kill comes before any block is
    // complete.
    const killAfter = before + ((attempt * 37) % 61)
    const waitForLines = (least: number) =>
      vi.waitFor(async () => expect((await lines()).length).toBeGreaterThan(least), {
        timeout: 60_000,
        interval: 10,
      })
    await waitForLines(before)
    firstSlot ||= slotOf((await lines())[0])
    record ??= createChainRecord(direct, commitment, firstSlot + 1n)
    await waitForLines(killAfter)
    await running.end('SIGKILL')
    const { slot } = await direct.getSlot({ commitment })
    await record.readTo(slot)
  }
  const received = await lines()
  const last = slotOf(received.at(-1)) - 1n
  const had = new Map<string, number>()
  for (const line of received) had.set(line, (had.get(line) ?? 0) + 1)
  const expected = record?.between(firstSlot + 1n, last, ['transaction', 'blockMeta']) ?? []
  expect(expected.length).toBeGreaterThan(100)
  expect(expected.filter((id) => !had.has(`${id.split(' ')[1]} ${id}`))).toEqual([])
  // Everything read after the checkpoint is read twice. The checkpoint is at most three slots behind.
  const repeated = [...had.values()].reduce((sum, count) => sum + count - 1, 0)
  expect(repeated).toBeGreaterThan(0)
  expect(repeated).toBeLessThan(kills * 4 * 6)
})

function slotOf(line = ''): bigint {
  return BigInt(line.split(' ')[0] ?? '')
}
