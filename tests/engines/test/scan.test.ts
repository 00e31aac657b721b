import { startDevnet } from '@fairlead/devnet'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { buildGoProgram, canBuildGo } from './go-program.ts'

test.skipIf(!canBuildGo)('go-ethereum reads all blocks of the embedded EVM chain', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-scan-'))
  const devnet = await startDevnet({ dataDirectory: folder, chains: ['evm'] })
  onTestFinished(async () => {
    await devnet.stop()
    await rm(folder, { recursive: true, force: true })
  })
  const [chain] = devnet.chains
  const { stdout } = await promisify(execFile)(await buildGoProgram('./scan'), [chain.url])
  const [, blocks, transactions] = /^(\d+) blocks, (\d+) transactions/.exec(stdout) ?? []
  expect(Number(blocks)).toBeGreaterThan(Number(chain.example.system_block_number))
  expect(Number(transactions)).toBeGreaterThan(10)
})
