import type { ClientHttp2Stream } from 'node:http2'
import type { FrameReader } from '../wire/frame-reader.ts'
import { type Waiter, waiter } from './waiter.ts'

/** The reason why a call ended. A signal may end it with any value, including undefined. */
export interface Failure {
  readonly reason: unknown
}

/** The received messages of a call: read from the stream only as far ahead as its reader allows. */
export interface ReceiveQueue {
  /** Returns the next message that has arrived completely. */
  read(): Uint8Array | undefined
  /** Waits for a message (true) or for the end of the call (false, or its failure), after the messages before it. */
  readable(): Promise<boolean>
  /** Starts reading from a stream. */
  open(stream: ClientHttp2Stream, frames: FrameReader): void
  /** Ends the call: with OK when no failure is given. Messages that have arrived can still be read. */
  close(failure: Failure | undefined): void
  /** Drops unread messages. */
  drop(): void
}

const resolvedTrue = Promise.resolve(true)
const resolvedFalse = Promise.resolve(false)

/**
 * Creates a receive queue.
 *
 * @param queueBytes - bytes of complete unread messages above which the stream is paused
 * @param onInvalid - called with the error of a message that cannot be read during the call; must end the call
 */
export function createReceiveQueue(queueBytes: number, onInvalid: (error: unknown) => void): ReceiveQueue {
  let stream: ClientHttp2Stream | undefined
  let frames: FrameReader | undefined
  let isPaused = false
  let isClosed = false
  let failure: Failure | undefined
  let waiting: Waiter<boolean> | undefined

  function onData(chunk: Uint8Array): void {
    if (frames === undefined) return
    frames.push(chunk)
    if (waiting !== undefined) {
      if (hasMessage()) resolveWaiter(resolvedTrue)
    } else if (frames.waitingBytes > queueBytes && hasMessage()) {
      isPaused = true
      stream?.pause()
    }
  }

  function resume(): void {
    if (!isPaused) return
    isPaused = false
    stream?.resume()
  }

  function hasMessage(): boolean {
    try {
      return frames?.isReady() ?? false
    } catch (error) {
      failReading(error)
      return false
    }
  }

  /** A message that cannot be read ends the call, and overrides a successful end. */
  function failReading(error: unknown): void {
    frames = undefined
    if (isClosed) failure = { reason: error }
    else onInvalid(error)
  }

  function resolveWaiter(outcome: Promise<boolean>): void {
    if (waiting === undefined) return
    waiting.resolve(outcome)
    waiting = undefined
  }

  function end(): Promise<boolean> {
    if (failure === undefined) {
      try {
        frames?.end()
      } catch (error) {
        failReading(error)
      }
    }
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason of a signal may be anything
    return failure ? Promise.reject(failure.reason) : resolvedFalse
  }

  return {
    read() {
      if (frames === undefined) return undefined
      try {
        const message = frames.read()
        if (message === undefined) resume()
        return message
      } catch (error) {
        failReading(error)
        return undefined
      }
    },
    readable() {
      if (hasMessage()) return resolvedTrue
      if (isClosed) return end()
      resume()
      waiting ??= waiter()
      return waiting.promise
    },
    open(opened, reader) {
      stream = opened
      frames = reader
      opened.on('data', onData)
    },
    close(reason) {
      isClosed = true
      failure = reason
      if (waiting !== undefined) resolveWaiter(hasMessage() ? resolvedTrue : end())
    },
    drop() {
      frames = undefined
    },
  }
}
