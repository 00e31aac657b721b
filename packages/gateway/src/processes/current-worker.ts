import type { Registry } from 'prom-client'
import type { FromWorker, ToWorker } from './messages.ts'

/** This process, as one of several workers. */
export interface CurrentWorker {
  /** Counted from 1; the replacement of a worker that died has the same number. */
  readonly number: number
  /** Reports that this worker serves. */
  ready(at: { readonly url: string; readonly tlsUrl: string | undefined }): void
  /**
   * Sends this worker's metrics whenever they are requested.
   *
   * @returns a function that requests the metrics of all workers together, as text
   */
  publish(registry: Registry): () => Promise<string>
  /** Sends the final report of the metrics, before this worker exits. */
  finalReport(): Promise<void>
  /** Adds a listener for the commands to disconnect, to stop or to read the configuration again. */
  onCommand(listener: (command: 'disconnect' | 'stop' | 'reload') => void): void
}

const timeoutMs = 4_000

/** Returns the connection of this worker to the primary process; undefined when there is no primary process. */
export function currentWorker(): CurrentWorker | undefined {
  const number = Number(process.env['FAIRLEAD_WORKER'])
  if (!process.send || !(number >= 1)) return undefined
  let requests = 0
  let registry: Registry | undefined
  const pending = new Map<number, (text: string) => void>()
  const listeners = new Set<(command: 'disconnect' | 'stop' | 'reload') => void>()
  process.on('message', (message: ToWorker) => {
    if (message.kind === 'report metrics') {
      const { request } = message
      void registry
        ?.getMetricsAsJSON()
        .then((metrics) => sendToPrimary({ kind: 'metrics', request, metrics }))
    } else if (message.kind === 'all metrics') pending.get(message.request)?.(message.text)
    else if (['disconnect', 'stop', 'reload'].includes(message.kind)) {
      for (const listener of listeners) listener(message.kind)
    }
  })
  return {
    number,
    ready: (at) => sendToPrimary({ kind: 'ready', ...at }),
    finalReport: async () => {
      const metrics = (await registry?.getMetricsAsJSON()) ?? []
      await new Promise<void>((resolve) => sendToPrimary({ kind: 'final metrics', metrics }, resolve))
    },
    publish: (source) => {
      registry = source
      return () => {
        const request = ++requests
        sendToPrimary({ kind: 'request all metrics', request })
        return new Promise((resolve, reject) => {
          const timer = setTimeout(() => {
            pending.delete(request)
            reject(new Error('The metrics were not received in time.'))
          }, timeoutMs)
          pending.set(request, (text) => {
            clearTimeout(timer)
            pending.delete(request)
            resolve(text)
          })
        })
      }
    },
    onCommand: (listener) => void listeners.add(listener),
  }
}

function sendToPrimary(message: FromWorker, done: () => void = () => undefined): void {
  // The primary process may have exited; then this process exits as well.
  if (process.connected) process.send?.(message, undefined, undefined, () => done())
  else done()
}
