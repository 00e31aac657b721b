import type { ClientHttp2Stream } from 'node:http2'
import { GrpcError } from '../wire/grpc-error.ts'
import { Status } from '../wire/status.ts'
import { type Waiter, waiter } from './waiter.ts'

// What may wait for a connection before the sender has to wait too, and what is kept for a second attempt.
const waitingBytes = 65_536
const keptBytes = 262_144

const done = Promise.resolve()

/** The messages that a call sends: kept until there is a stream, and until it is clear that no second one is needed. */
export interface Outbox {
  /** Sends a message; resolves when there is room for another one, and when the call is over. */
  send(message: Uint8Array): Promise<void>
  /** Says that no message follows. */
  end(): void
  /** Writes to a stream, beginning with all that was said so far. */
  open(stream: ClientHttp2Stream): void
  /** Gets ready for another stream; false where no longer everything is kept. */
  rewind(): boolean
  /** Keeps nothing for another stream any more. */
  forget(): void
  /** Lets go of everything: the call is over. */
  close(): void
}

/** Makes an outbox. Messages of one turn of the event loop leave in one write. */
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
