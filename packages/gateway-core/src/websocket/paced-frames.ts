import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { guarded, type Tenant } from '@fairlead/runtime'
import type { TickBudget } from '../admission/tick-budget.ts'
import { FrameScanner } from './frame-scanner.ts'

/** Options of {@link PacedFrames}. */
export interface PacedFramesOptions {
  readonly budget: TickBudget
  /** Pauses and resumes the connection, and the library's own resumption of it. */
  readonly reading: Pick<WebSocket, 'pause' | 'resume'>
  tenant(): Tenant
  /** Called with the length of each chunk before it is read; false to drop it. */
  receiveBytes(bytes: number): boolean
  /** Called with the number of frames before the library parses them; false to drop them. */
  receiveFrames(frames: number): boolean
}

// A client that waits for responses has few frames in a chunk. They need no turn.
const framesAtOnce = 2
const framesPerTurn = 32

/**
 * Passes the data of a WebSocket client to the library that parses it, a few frames per event-loop tick. The library
 * would process all frames of a chunk at once: 9,000 messages of one character.
 */
export class PacedFrames {
  readonly #socket: Duplex
  readonly #options: PacedFramesOptions
  readonly #scanner = new FrameScanner()
  readonly #parse: (chunk: Buffer) => void
  /** Bytes that are not passed on yet. */
  #rest: Buffer | undefined
  #isQueued = false
  #isParsing = false
  #isPaused = false

  /** @param socket - connection of a WebSocket; the library listens to its data */
  constructor(socket: Duplex, options: PacedFramesOptions) {
    this.#socket = socket
    this.#options = options
    const listeners = socket.listeners('data') as unknown as readonly ((chunk: Buffer) => void)[]
    for (const listener of listeners) socket.off('data', listener)
    this.#parse = (chunk) => {
      for (const listener of listeners) listener.call(socket, chunk)
    }
    socket.on(
      'data',
      guarded('websocket', (chunk: Buffer) => this.#onData(chunk), this.#fail),
    )
    // The library would read what a closed connection has left, without the bytes in front of it.
    socket.prependListener('close', () => {
      this.#rest = undefined
      socket.read()
    })
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  /** Stops reading until {@link resume}. */
  pause(): void {
    this.#isPaused = true
    this.#options.reading.pause()
  }

  resume(): void {
    this.#isPaused = false
    this.#continueReading()
  }

  /** Drops what was not passed on. */
  end(): void {
    this.#rest = undefined
  }

  #onData(chunk: Buffer): void {
    if (!this.#options.receiveBytes(chunk.length)) return
    if (this.#rest === undefined && this.#options.budget.spend(framesAtOnce)) {
      return this.#pass(chunk, framesAtOnce)
    }
    this.#rest = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk])
    this.#options.reading.pause()
    this.#continueReading()
  }

  #pass(bytes: Buffer, frames: number): void {
    const end = this.#scanner.endOf(frames, bytes, 0)
    this.#rest = undefined
    if (!this.#options.receiveFrames(this.#scanner.ended)) return
    if (end === bytes.length) return this.#parse(bytes)
    // Set first: what the library emits may end this connection.
    this.#rest = bytes.subarray(end)
    this.#options.reading.pause()
    this.#isParsing = true
    this.#parse(bytes.subarray(0, end))
    this.#isParsing = false
    this.#continueReading()
  }

  /** Processes what has arrived before more is read. */
  #continueReading(): void {
    if (this.#isQueued || this.#isPaused || this.#isParsing) return
    if (this.#rest === undefined) return this.#options.reading.resume()
    this.#isQueued = true
    const turn = guarded('websocket', () => this.#takeTurn(), this.#fail)
    this.#options.budget.run(this.#options.tenant(), framesPerTurn, turn)
  }

  readonly #fail = (): void => void this.#socket.destroy()

  #takeTurn(): void {
    this.#isQueued = false
    if (this.#isPaused) return
    if (this.#rest !== undefined) this.#pass(this.#rest, framesPerTurn)
    if (this.#rest === undefined) this.#continueReading()
  }
}
