import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { NodeOrder } from '@fairlead/benchmarks/faulty-node'
import { reservePort } from '@fairlead/vitest/reserved-port'

/** The faults of an upstream. `HTML` = every response is a page with status 200. */
export const faults = ['hang', 'kill', '500', '429', 'lag', 'slow', 'HTML'] as const

/** One of {@link faults}. */
export type Fault = (typeof faults)[number]

const program = fileURLToPath(import.meta.resolve('@fairlead/benchmarks/faulty-node'))
const responseMs = 4

/** An upstream in a separate process, which serves EVM JSON-RPC, the beacon node API and TON. */
export class UpstreamProcess {
  readonly url: string
  readonly #port: number
  #process: ChildProcess | undefined

  private constructor(port: number) {
    this.#port = port
    this.url = `http://127.0.0.1:${port}`
  }

  static async start(): Promise<UpstreamProcess> {
    const upstream = new UpstreamProcess(await reservePort())
    await upstream.#start()
    return upstream
  }

  async begin(fault: Fault): Promise<void> {
    if (fault === 'kill') this.stop()
    else await this.#send(fault)
  }

  /** Ends the fault. A killed process starts again on the same port. */
  async recover(): Promise<void> {
    if (this.#process) await this.#send('none')
    else await this.#start()
  }

  stop(): void {
    this.#process?.kill('SIGKILL')
    this.#process = undefined
  }

  async #start(): Promise<void> {
    this.#process = fork(program, [String(responseMs), String(this.#port)])
    await once(this.#process, 'message')
  }

  async #send(order: NodeOrder): Promise<void> {
    if (!this.#process) return
    const done = once(this.#process, 'message')
    this.#process.send(order)
    await done
  }
}
