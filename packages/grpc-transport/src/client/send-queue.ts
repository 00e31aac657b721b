import type { ClientHttp2Stream } from 'node:http2'
import { GrpcError } from '../wire/grpc-error.ts'
import { Status } from '../wire/status.ts'
import { type Waiter, waiter } from './waiter.ts'

// Bytes that may wait for a connection before the sender has to wait, and bytes that are buffered for a second attempt.
const waitingBytes = 65_536
const keptBytes = 262_144

const done = Promise.resolve()

/**
 * The messages that a call sends: buffered until there is a stream, and until it is certain that no second one is
 * needed.
 */
export interface Outbox {
  /** Sends a message; resolves when another one can be sent, and when the call has ended. */
  send(message: Uint8Array): Promise<void>
  /** Ends the sending side: no message follows. */
  end(): void
  /** Writes to a stream, beginning with all messages sent so far. */
  open(stream: ClientHttp2Stream): void
  /** Prepares for another stream; returns false when the messages are no longer complete. */
  rewind(): boolean
  /** Stops buffering for another stream. */
  forget(): void
  /** Releases all messages: the call has ended. */
  close(): void
}

/** Creates an outbox. Messages of one event-loop tick are sent in one write. */
export function createOutbox(frame: (message: Uint8Array) => Uint8Array): Outbox {
  let stream: ClientHttp2Stream | undefined
  let kept: Uint8Array[] = []
  let size = 0
  let isKeeping = true
  let isEnded = false
  let isClosed = false
  let isCorked = false
  let room: Waiter<void> | undefined

  function waitForRoom(): Promise<void> {
    room ??= waiter()
    return room.promise
  }

  function tellRoom(): void {
    room?.resolve()
    room = undefined
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

  function forget(): void {
    isKeeping = false
    kept = []
  }

  return {
    send(message) {
      if (isClosed) return done
      if (isEnded)
        return Promise.reject(new GrpcError(Status.INTERNAL, 'a message was sent after the last one'))
      const framed = frame(message)
      if (isKeeping) {
        kept.push(framed)
        size += framed.length
        if (stream !== undefined && size > keptBytes) forget()
      }
      const hasRoom = stream === undefined ? size <= waitingBytes : write(stream, framed)
      return hasRoom ? done : waitForRoom()
    },
    end() {
      if (isEnded || isClosed) return
      isEnded = true
      stream?.end()
    },
    open(opened) {
      stream = opened
      opened.on('drain', tellRoom)
      let hasRoom = true
      for (const framed of kept) hasRoom = write(opened, framed)
      if (size > keptBytes) forget()
      if (isEnded) opened.end()
      if (hasRoom) tellRoom()
    },
    rewind() {
      stream = undefined
      isCorked = false
      return isKeeping
    },
    forget,
    close() {
      isClosed = true
      forget()
      tellRoom()
    },
  }
}
