import { expect, onTestFinished, test } from 'vitest'
import { receiptOf, runningEngine, scratchDirectory, startParent, transact } from '../../test/scratch.ts'
import { startDevnet, type EvmDevnetChain, type DevnetEvent } from '../index.ts'
import { callEngine } from './json-rpc.ts'

async function startAgain(
  dataDirectory: string,
  handle: (event: DevnetEvent) => void = () => {},
): Promise<{ chain: EvmDevnetChain; events: DevnetEvent[] }> {
  const events: DevnetEvent[] = []
  const onEvent = (event: DevnetEvent) => {
    events.push(event)
    handle(event)
  }
  const devnet = await startDevnet({ dataDirectory, chains: ['evm'], onEvent })
  onTestFinished(() => devnet.stop())
  const [chain] = devnet.chains
  return { chain, events }
}

test('a killed parent process leaves no engine running and loses no transaction', async () => {
  const directory = await scratchDirectory()
  const { parent, chain } = await startParent(directory)
  const { ended } = runningEngine(directory)
  const hash = await transact(chain)
  // The whole process group, as a terminal or a process manager does.
  process.kill(-(parent.pid ?? 0), 'SIGKILL')
  await ended()
  await expect(callEngine(chain.url, 'eth_chainId')).rejects.toThrow()

  const again = await startAgain(directory)
  expect(again.chain.url).toBe(chain.url)
  expect(await receiptOf(again.chain, hash)).toMatchObject({ status: '0x1' })
})

test('a start immediately after a kill waits until the old engine has saved its state', async () => {
  const directory = await scratchDirectory()
  const { parent, chain } = await startParent(directory)
  const { engine, watchdog } = runningEngine(directory)
  const hashes: string[] = []
  for (let count = 0; count < 20; count++) hashes.push(await transact(chain))
  // A stopped engine cannot save its state before the next start waits for it.
  process.kill(engine, 'SIGSTOP')
  let isStopped = true
  parent.kill('SIGKILL')
  const again = await startAgain(directory, ({ kind }) => {
    if (kind !== 'waiting' || !isStopped) return
    isStopped = false
    process.kill(engine, 'SIGCONT')
  })
  expect(again.events[0]).toMatchObject({ kind: 'waiting', chain: 'evm' })
  expect([parent.pid, watchdog]).toContain(
    again.events[0]?.kind === 'waiting' ? again.events[0].pid : undefined,
  )
  for (const hash of hashes) expect(await receiptOf(again.chain, hash)).toMatchObject({ status: '0x1' })
})

test('the next start saves and stops an engine whose parent and watchdog were both killed', async () => {
  const directory = await scratchDirectory()
  const { parent, chain } = await startParent(directory)
  const { watchdog, ended } = runningEngine(directory)
  const hash = await transact(chain)
  process.kill(watchdog, 'SIGKILL')
  parent.kill('SIGKILL')

  const again = await startAgain(directory)
  await ended()
  expect(await receiptOf(again.chain, hash)).toMatchObject({ status: '0x1' })
})

/** Sends a signal to a process that may already have exited together with another one. */
function terminate(processId: number): void {
  try {
    process.kill(processId, 'SIGTERM')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

test('a signal to all processes at once loses no transaction', async () => {
  const directory = await scratchDirectory()
  const { parent, chain } = await startParent(directory)
  const { engine, watchdog, ended } = runningEngine(directory)
  const hash = await transact(chain)
  // As during a shutdown of the machine, or when systemd stops the unit.
  terminate(engine)
  terminate(watchdog)
  parent.kill('SIGTERM')
  await ended()
  expect(await receiptOf((await startAgain(directory)).chain, hash)).toMatchObject({ status: '0x1' })
})
