import type { ClientHttp2Stream } from 'node:http2'
import { GrpcError } from '../wire/grpc-error.ts'
import { Status } from '../wire/status.ts'
import { type Waiter, waiter } from './waiter.ts'

// Bytes that may wait for a connection before the sender has to wait, and bytes that are buffered for a second attempt.
const maxQueuedBytes = 65_536
const maxBufferedBytes = 262_144

const done = Promise.resolve()

/**
 * The messages that a call sends: buffered until there is a stream, and until it is certain that no second one is
 * needed.
 */
export interface SendQueue {
  /** Sends a message; resolves when another one can be sent, and when the call has ended. */
  send(message: Uint8Array): Promise<void>
  /** Ends the sending side: no message follows. */
  end(): void
  /** Writes to a stream, beginning with all messages sent so far. */
  open(stream: ClientHttp2Stream): void
  /** Prepares for another stream; returns false when the messages are no longer complete. */
  rewind(): boolean
  /** Stops buffering for another stream. */
  stopBuffering(): void
  /** Releases all messages: the call has ended. */
  close(): void
}

/** Creates a send queue. Messages of one event-loop tick are sent in one write. */
export function createSendQueue(frame: (message: Uint8Array) => Uint8Array): SendQueue {
  let stream: ClientHttp2Stream | undefined
  let buffered: Uint8Array[] = []
  let size = 0
  let isBuffering = true
  let isEnded = false
  let isClosed = false
  let isCorked = false
  let spaceWaiter: Waiter<void> | undefined

  function waitForSpace(): Promise<void> {
    spaceWaiter ??= waiter()
    return spaceWaiter.promise
  }

  function notifySpace(): void {
    spaceWaiter?.resolve()
    spaceWaiter = undefined
  }

  function write(to: ClientHttp2Stream, framed: Uint8Array): boolean {
    if (!isCorked) {
      isCorked = true
      to.cork()
      process.nextTick(() => {
        isCorked = false
        to.uncork()
      })
    }
    return to.write(framed)
  }

  function stopBuffering(): void {
    isBuffering = false
    buffered = []
  }

  return {
    send(message) {
      if (isClosed) return done
      if (isEnded)
        return Promise.reject(new GrpcError(Status.INTERNAL, 'a message was sent after the last one'))
      const framed = frame(message)
      if (isBuffering) {
        buffered.push(framed)
        size += framed.length
        if (stream !== undefined && size > maxBufferedBytes) stopBuffering()
      }
      const hasSpace = stream === undefined ? size <= maxQueuedBytes : write(stream, framed)
      return hasSpace ? done : waitForSpace()
    },
    end() {
      if (isEnded || isClosed) return
      isEnded = true
      stream?.end()
    },
    open(opened) {
      stream = opened
      opened.on('drain', notifySpace)
      let hasSpace = true
      for (const framed of buffered) hasSpace = write(opened, framed)
      if (size > maxBufferedBytes) stopBuffering()
      if (isEnded) opened.end()
      if (hasSpace) notifySpace()
    },
    rewind() {
      stream = undefined
      isCorked = false
      return isBuffering
    },
    stopBuffering,
    close() {
      isClosed = true
      stopBuffering()
      notifySpace()
    },
  }
}
