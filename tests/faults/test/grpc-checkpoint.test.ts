import { CommitmentLevel } from '@fairlead/grpc/geyser'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type ChainAlone, clientOf, type GeyserClient, startChainAlone } from './grpc-network.ts'
import { startProcess } from './grpc-process.ts'
import { createChainRecord } from './grpc-record.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

const consumer = resolve(import.meta.dirname, 'grpc-consumer-process.ts')
const commitment = CommitmentLevel.CONFIRMED
const kills = 10

let alone: ChainAlone
let direct: GeyserClient
let directory: string

beforeAll(async () => {
  alone = await startChainAlone({ secondsPerSlot: 0.2 })
  direct = clientOf(alone.chain.url, 'none')
  directory = await mkdtemp(join(tmpdir(), 'fairlead-consumer-'))
})

afterAll(async () => {
  await direct?.disconnect()
  await alone?.stop()
  await rm(directory, { recursive: true, force: true })
})

it('a consumer that is killed again and again has processed everything, and a few slots twice', async () => {
  const files = [join(directory, 'seen'), join(directory, 'checkpoint')] as const
  const lines = async () => {
    const text = await readFile(files[0], 'utf8').catch(() => '')
    // The last line may be incomplete.
    return text.split('\n').slice(0, -1)
  }
  let begun = 0n
  let record: ReturnType<typeof createChainRecord> | undefined
  for (let turn = 0; turn <= kills; turn++) {
    const before = (await lines()).length
    const running = await startProcess({
      arguments: [consumer, alone.upstream.url, 'none', ...files],
      ready: /reading/,
      cwd: directory,
    })
    // At least one line, and then a varying number up to a few slots more. The first kill comes before any block is
    // complete.
    const killAfter = before + ((turn * 37) % 61)
    const read = (least: number) =>
      vi.waitFor(async () => expect((await lines()).length).toBeGreaterThan(least), {
        timeout: 60_000,
        interval: 10,
      })
    await read(before)
    begun ||= slotOf((await lines())[0])
    record ??= createChainRecord(direct, commitment, begun + 1n)
    await read(killAfter)
    await running.end('SIGKILL')
    const { slot } = await direct.getSlot({ commitment })
    await record.readTo(slot)
  }
  const got = await lines()
  const last = slotOf(got.at(-1)) - 1n
  const had = new Map<string, number>()
  for (const line of got) had.set(line, (had.get(line) ?? 0) + 1)
  const wanted = record?.between(begun + 1n, last, ['transaction', 'blockMeta']) ?? []
  expect(wanted.length).toBeGreaterThan(100)
  expect(wanted.filter((id) => !had.has(`${id.split(' ')[1]} ${id}`))).toEqual([])
  // Everything read after the checkpoint is read twice. The checkpoint is at most three slots behind.
  const repeated = [...had.values()].reduce((sum, count) => sum + count - 1, 0)
  expect(repeated).toBeGreaterThan(0)
  expect(repeated).toBeLessThan(kills * 4 * 6)
})

function slotOf(line = ''): bigint {
  return BigInt(line.split(' ')[0] ?? '')
}
