import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { PlainTask } from '../../../test/plain-worker.ts'
import { scratchDirectory } from '../../../test/scratch.ts'
import type { DevnetEvent } from '../devnet-event.ts'
import { startWorkerNode, type WorkerNode, type WorkerNodeOptions } from './start-worker-node.ts'
import type { WorkerKind } from './worker-kind.ts'

const timeLimit = { timeout: 30_000 }
const shortTimings = { initialPauseMs: 10, maxPauseMs: 20, maxFailures: 2 }
const kind: WorkerKind = {
  name: 'plain chain',
  module: new URL('../../../test/plain-worker.ts', import.meta.url),
  env: {},
  maxHeapMegabytes: 64,
  gracefulStopMs: 10_000,
  onReady: 'It stores nothing.',
  onRestart: ', with nothing,',
}

interface Start {
  readonly events: DevnetEvent[]
  readonly workers: Worker[]
  readonly starting: Promise<WorkerNode<number>>
}

/** Starts a chain for this test, and collects its events and workers. */
function begin(
  directory: string,
  behaviour: PlainTask['behaviour'] = 'plain',
  options: Partial<WorkerNodeOptions> = {},
  overrides: Partial<WorkerKind> = {},
): Start {
  const events: DevnetEvent[] = []
  const workers: Worker[] = []
  const onWorker = (worker: Worker) => workers.push(worker)
  process.on('worker', onWorker)
  onTestFinished(() => void process.off('worker', onWorker))
  const starting = startWorkerNode<number>(
    'plain',
    { ...kind, ...overrides },
    { directory, timings: shortTimings, onEvent: (event) => events.push(event), ...options },
    (port): PlainTask => ({ port, behaviour }),
  )
  onTestFinished(() =>
    starting.then(
      (node) => node.stop(),
      () => undefined,
    ),
  )
  return { events, workers, starting }
}

const kinds = (events: readonly DevnetEvent[]) => events.map((event) => event.kind)
const readyTwice = (events: readonly DevnetEvent[]) =>
  vi.waitUntil(() => kinds(events).filter((eventKind) => eventKind === 'ready').length === 2, timeLimit)
const threadIdOf = async (node: WorkerNode<number>) => Number(await (await fetch(node.url)).text())

test('a node reports its start, and restarts at the same URL after a stop', async () => {
  const directory = await scratchDirectory()
  const { events, starting } = begin(directory, 'new')
  const node = await starting
  expect(await threadIdOf(node)).toBe(node.data)
  expect(events).toMatchObject([
    { chain: 'plain', kind: 'starting', message: 'Starting the plain chain.' },
    { kind: 'seeded', durationMs: 5 },
    { kind: 'ready', url: node.url, message: `Accepts calls at ${node.url}. It stores nothing.` },
  ])
  await Promise.all([node.stop(), node.stop()])
  expect(kinds(events).slice(-2)).toEqual(['stopping', 'stopped'])
  await expect(fetch(node.url)).rejects.toThrow()
  expect((await begin(directory).starting).url).toBe(node.url)
  expect(readFileSync(join(directory, 'port'), 'utf8')).toBe(`${new URL(node.url).port}\n`)
})

test('a worker that exits unexpectedly is replaced at the same URL', async () => {
  const { events, starting, workers } = begin(await scratchDirectory())
  const node = await starting
  await workers[0]?.terminate()
  await readyTwice(events)
  expect(kinds(events)).toEqual(['starting', 'ready', 'exited', 'restarting', 'starting', 'ready'])
  expect(events[3]?.message).toMatch(/^Starting again, with nothing, in \d+ ms\.$/)
  expect(await threadIdOf(node)).not.toBe(node.data)
})

test('an error ends the worker and is reported; a fault does not end it', async () => {
  const { events, starting } = begin(await scratchDirectory())
  const node = await starting
  await fetch(`${node.url}/fault`)
  await vi.waitUntil(() => kinds(events).includes('output'), timeLimit)
  expect(events.at(-1)?.message).toBe('a small fault')
  expect(await threadIdOf(node)).toBe(node.data)
  await fetch(`${node.url}/crash`).catch(() => undefined)
  await readyTwice(events)
  expect(events.find((event) => event.kind === 'exited')?.message).toContain('the worker crashed')
})

test('a worker that requests a replacement has not failed', async () => {
  const { events, starting } = begin(await scratchDirectory())
  const node = await starting
  await fetch(`${node.url}/renew`)
  await readyTwice(events)
  expect(kinds(events)).toEqual(['starting', 'ready', 'starting', 'ready'])
  expect(events[2]?.message).toBe('Starting another one.')
})

test.each([
  ['a state that cannot be read', 'unreadable', 'DEVNET_STATE_UNREADABLE'],
  ['an engine that is not there', 'unavailable', 'DEVNET_ENGINE_UNAVAILABLE'],
] as const)('%s fails the start immediately', async (_, behaviour, code) => {
  const { events, starting } = begin(await scratchDirectory(), behaviour)
  await expect(starting).rejects.toMatchObject({ code, message: `[${code}] It cannot be had.` })
  expect(kinds(events)).toEqual(['starting', 'exited', 'failed', 'stopping', 'stopped'])
})

test('stops after a worker that never becomes ready', async () => {
  const timings = { ...shortTimings, readyDeadlineMs: 50 }
  const { events, starting } = begin(await scratchDirectory(), 'silent', { timings })
  await expect(starting).rejects.toMatchObject({
    code: 'DEVNET_ENGINE_FAILED',
    message: expect.stringContaining('did not respond within 50 ms'),
  })
  expect(kinds(events).filter((eventKind) => eventKind === 'exited')).toHaveLength(2)
})

test('stops after a worker that fails repeatedly', async () => {
  const { events, starting, workers } = begin(await scratchDirectory())
  const node = await starting
  // Another process that listens on the port while the worker is down makes every later start fail.
  const portHolder = createServer()
  onTestFinished(() => void portHolder.close())
  await workers[0]?.terminate()
  portHolder.listen({ host: '127.0.0.1', port: Number(new URL(node.url).port) })
  await once(portHolder, 'listening')
  await vi.waitUntil(() => events.at(-1)?.kind === 'failed', timeLimit)
  expect(events.at(-1)).toMatchObject({
    error: { code: 'DEVNET_ENGINE_FAILED', message: expect.stringContaining('EADDRINUSE') },
  })
  // The terminated worker was ready; the two after it never were.
  expect(kinds(events).filter((eventKind) => eventKind === 'exited')).toHaveLength(3)
})

test('a worker that crashes after it was ready is restarted every time', async () => {
  const { events, starting } = begin(await scratchDirectory())
  const node = await starting
  const readyCount = () => kinds(events).filter((eventKind) => eventKind === 'ready').length
  for (let crashes = 1; crashes <= 2 * shortTimings.maxFailures; crashes++) {
    await fetch(`${node.url}/crash`).catch(() => undefined)
    await vi.waitUntil(() => readyCount() === crashes + 1, timeLimit)
  }
  expect(await threadIdOf(node)).not.toBe(node.data)
})

test('terminates a worker that does not react to a stop', async () => {
  const { events, starting } = begin(await scratchDirectory(), 'deaf', {}, { gracefulStopMs: 10 })
  const node = await starting
  await node.stop()
  await expect(fetch(node.url)).rejects.toThrow()
  expect(events.at(-1)?.kind).toBe('stopped')
})

test('an abort cancels the start, or stops a running node', async () => {
  const directory = await scratchDirectory()
  const early = new AbortController()
  const { starting } = begin(directory, 'plain', {
    signal: early.signal,
    onEvent: (event) => event.kind === 'starting' && early.abort(new Error('changed my mind')),
  })
  await expect(starting).rejects.toThrow('changed my mind')

  const lateAbort = new AbortController()
  const started = begin(directory, 'plain', { signal: lateAbort.signal })
  const node = await started.starting
  lateAbort.abort()
  await vi.waitUntil(() => started.events.at(-1)?.kind === 'stopped', timeLimit)
  await expect(fetch(node.url)).rejects.toThrow()
})

test('a second node on the same directory waits for the first one and fails after a timeout', async () => {
  const directory = await scratchDirectory()
  await begin(directory).starting
  const second = begin(directory, 'plain', { lockWaitMs: 100 })
  await expect(second.starting).rejects.toMatchObject({ code: 'DEVNET_LOCKED' })
})
