import cluster, { type Worker } from 'node:cluster'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { createMetricsGatherer, send } from './gather-metrics.ts'
import type { FromWorker } from './messages.ts'
import { guardedTimeout } from '@fairlead/runtime'

/** The worker processes. The primary process, which runs this code, only supervises them. */
export interface Workers {
  /** URL of the workers, which share the ports. */
  readonly url: string
  readonly tlsUrl: string | undefined
  /** Replaces each worker, one at a time: the new one serves before the old one stops accepting connections. */
  replaceAll(): Promise<void>
  /** Makes all workers read the configuration again. */
  reload(): void
  /** Stops all workers, and resolves when they have exited. */
  stop(): Promise<void>
}

/** Options of {@link startWorkers}. */
export interface WorkerOptions {
  readonly count: number
  readonly log: Logger
  /** How long a worker may take to exit before it is killed, in milliseconds. */
  readonly endMs: number
}

const firstPauseMs = 100
const maxPauseMs = 10_000
// A worker that ran for this long was healthy, so its exit resets the restart delay.
const healthyMs = 30_000

interface Ready {
  readonly url: string
  readonly tlsUrl: string | undefined
}

/**
 * Starts the workers and keeps that many of them running. A worker that exits is replaced, after a delay that grows
 * while workers exit soon after their start.
 *
 * @throws Error when the first worker exits before it serves; that worker has reported the reason
 */
export async function startWorkers({ count, log, endMs }: WorkerOptions): Promise<Workers> {
  // All workers accept connections from one listening socket, which this process keeps open. No connection waits for
  // this process, and none is lost with a worker that had not accepted it.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  const slots = Array.from({ length: count }, (_, at) => new WorkerSlot(at + 1, log, endMs))
  const all = () => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
  const gatherer = createMetricsGatherer(all)
  cluster.on('message', (worker, message: FromWorker) => gatherer.handleMessage(worker, message))
  const [first, ...rest] = slots
  if (!first) throw new Error('The gateway requires at least one worker.')
  // The first worker starts alone, so that an error is reported once.
  const { url, tlsUrl } = await first.start()
  await Promise.all(rest.map((slot) => slot.start()))
  let replacing: Promise<void> = Promise.resolve()
  const replaceAll = async () => {
    for (const slot of slots) await slot.replace()
  }
  return {
    url,
    tlsUrl,
    replaceAll: () => (replacing = replacing.then(replaceAll)),
    reload: () => {
      for (const worker of all()) send(worker, { kind: 'reload' })
    },
    stop: async () => {
      await Promise.all(slots.map((slot) => slot.stop()))
    },
  }
}

/** A slot in which one worker after another serves. */
class WorkerSlot {
  readonly #number: number
  readonly #log: Logger
  readonly #endMs: number
  #current: Worker | undefined
  #starting: Worker | undefined
  /** Workers that are shutting down. */
  readonly #exiting = new Set<Promise<unknown>>()
  #isStopping = false
  #pauseMs = firstPauseMs

  constructor(number: number, log: Logger, endMs: number) {
    this.#number = number
    this.#log = log
    this.#endMs = endMs
  }

  /** Starts a worker, which then replaces the previous one, if there is one. */
  async start(): Promise<Ready> {
    const worker = cluster.fork({ FAIRLEAD_WORKER: String(this.#number) })
    this.#starting = worker
    const ready = await readyOf(worker)
    this.#starting = undefined
    if (!ready) throw new Error(`worker ${this.#number} could not be started`)
    this.#current = worker
    const since = Date.now()
    worker.once('exit', (code, signal) => {
      if (this.#current !== worker || this.#isStopping) return
      this.#current = undefined
      if (Date.now() - since > healthyMs) this.#pauseMs = firstPauseMs
      this.#log.error({ worker: this.#number, code, signal }, 'a worker exited and is being restarted')
      void this.#restart()
    })
    return ready
  }

  /** Starts another worker, and stops the previous one once the new one serves. */
  async replace(): Promise<void> {
    // A worker that is starting is a new one already.
    if (this.#isStopping || this.#starting) return
    const before = this.#current
    try {
      await this.start()
    } catch {
      if (this.#isStopping) return
      this.#log.error(
        { worker: this.#number },
        'no replacement worker could be started; the previous one continues',
      )
      return
    }
    if (before) await this.#end(before, 'disconnect')
    this.#log.info({ worker: this.#number }, 'a worker was replaced')
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    if (this.#starting) await killed(this.#starting)
    if (this.#current) void this.#end(this.#current, 'stop')
    await Promise.all(this.#exiting)
  }

  async #restart(): Promise<void> {
    while (!this.#current && !this.#isStopping) {
      await pause(this.#pauseMs)
      this.#pauseMs = Math.min(this.#pauseMs * 2, maxPauseMs)
      if (this.#current || this.#isStopping) break
      const ready = await this.start().catch(() => undefined)
      if (ready) this.#log.warn({ worker: this.#number }, 'a worker was restarted')
    }
    // The worker started while the gateway was stopping.
    if (this.#isStopping && this.#current) await this.#end(this.#current, 'stop')
  }

  async #end(worker: Worker, kind: 'disconnect' | 'stop'): Promise<void> {
    const ended = endOf(worker)
    this.#exiting.add(ended)
    send(worker, { kind })
    const timer = guardedTimeout(() => worker.process.kill('SIGKILL'), this.#endMs)
    await ended
    clearTimeout(timer)
    this.#exiting.delete(ended)
  }
}

/** Returns where a worker serves; undefined when it exits before that. */
function readyOf(worker: Worker): Promise<Ready | undefined> {
  return new Promise((resolve) => {
    worker.once('exit', () => resolve(undefined))
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'ready') resolve(message)
    })
  })
}

async function killed(worker: Worker): Promise<void> {
  const ended = endOf(worker)
  worker.process.kill('SIGKILL')
  await ended
}

function endOf(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    if (worker.isDead()) resolve()
    else worker.once('exit', () => resolve())
  })
}
