import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { reservePort } from './reserved-port.ts'
import { waitFor } from './wait-for.ts'

/** Measures the memory of a separate process. */
export interface MemoryMeter {
  /** Environment of the process to measure. */
  readonly environment: Readonly<Record<string, string>>
  /** Collects garbage in the process and returns its resident bytes. */
  residentBytes(pid: number | undefined): Promise<number>
}

/**
 * Creates a meter for one process of Node.js.
 *
 * It collects garbage over the inspector of the process, so that the result does not depend on the time of a collection.
 */
export async function memoryMeter(): Promise<MemoryMeter> {
  const port = await reservePort()
  return {
    environment: { NODE_OPTIONS: `--inspect-port=${port}` },
    async residentBytes(pid = 0) {
      process.kill(pid, 'SIGUSR1')
      await collectGarbageOver(await inspectorUrl(port))
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024
    },
  }
}

/** Waits until the inspector listens, and returns the URL of its WebSocket. */
async function inspectorUrl(port: number): Promise<string> {
  let url = ''
  await waitFor(async () => {
    const response = await fetch(`http://127.0.0.1:${port}/json/list`)
    const [target] = (await response.json()) as { readonly webSocketDebuggerUrl: string }[]
    url = target?.webSocketDebuggerUrl ?? ''
  })
  return url
}

async function collectGarbageOver(url: string): Promise<void> {
  const socket = new WebSocket(url)
  await once(socket, 'open')
  // Twice: the second collection waits until the memory of buffers from the first one is freed.
  for (const id of [1, 2]) {
    const response = once(socket, 'message')
    socket.send(JSON.stringify({ id, method: 'HeapProfiler.collectGarbage' }))
    await response
  }
  socket.close()
}
