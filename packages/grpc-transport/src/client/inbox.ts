import type { ClientHttp2Stream } from 'node:http2'
import type { FrameReader } from '../wire/frame-reader.ts'
import { type Waiter, waiter } from './waiter.ts'

/** What ended a call. A signal may end it with anything, undefined included. */
export interface Failure {
  readonly reason: unknown
}

/** The messages that a call gets: taken from the stream only as far ahead as its reader allows. */
export interface Inbox {
  /** Takes the next message that has come whole. */
  read(): Uint8Array | undefined
  /** Waits for a message (true) or for the end of the call (false, or its failure), after the messages before it. */
  readable(): Promise<boolean>
  /** Begins to take bytes from a stream. */
  open(stream: ClientHttp2Stream, frames: FrameReader): void
  /** Says how the call ended: with OK where no failure is given. What has come by then can still be read. */
  close(failure: Failure | undefined): void
  /** Drops what has not been read. */
  drop(): void
}

const messageThere = Promise.resolve(true)
const nothingThere = Promise.resolve(false)

/**
 * Makes an inbox.
 *
 * @param queueBytes - bytes of whole messages that may wait for the reader before the stream is paused
 * @param onRefused - hears of a message that cannot be taken while the call goes on; has to end it
 */
export function createInbox(queueBytes: number, onRefused: (error: unknown) => void): Inbox {
  let stream: ClientHttp2Stream | undefined
  let frames: FrameReader | undefined
  let isPaused = false
  let isOver = false
  let failure: Failure | undefined
  let waiting: Waiter<boolean> | undefined

  function onData(chunk: Uint8Array): void {
    if (frames === undefined) return
    frames.push(chunk)
    if (waiting !== undefined) {
      if (hasMessage()) tell(messageThere)
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
      refuse(error)
      return false
    }
  }

  /** A message that cannot be taken ends the call, and replaces an end that was good. */
  function refuse(error: unknown): void {
    frames = undefined
    if (isOver) failure = { reason: error }
    else onRefused(error)
  }

  function tell(outcome: Promise<boolean>): void {
    if (waiting === undefined) return
    waiting.resolve(outcome)
    waiting = undefined
  }

  function end(): Promise<boolean> {
    if (failure === undefined) {
      try {
        frames?.end()
      } catch (error) {
        refuse(error)
      }
    }
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason of a signal may be anything
    return failure ? Promise.reject(failure.reason) : nothingThere
  }

  return {
    read() {
      if (frames === undefined) return undefined
      try {
        const message = frames.read()
        if (message === undefined) resume()
        return message
      } catch (error) {
        refuse(error)
        return undefined
      }
    },
    readable() {
      if (hasMessage()) return messageThere
      if (isOver) return end()
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
      isOver = true
      failure = reason
      if (waiting !== undefined) tell(hasMessage() ? messageThere : end())
    },
    drop() {
      frames = undefined
    },
  }
}
