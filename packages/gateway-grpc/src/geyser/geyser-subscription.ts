import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire'
import { createFrameReader, type FrameReader, frameMessage } from '@fairlead/grpc-transport/wire'
import { UpdateDeduplicator } from './update-deduplicator.ts'
import { identityOf } from './update-identity.ts'

// Updates of several slots are in flight at a time. Upstreams store hundreds of slots.
const replayedSlots = 8

// A request holds filters with up to some ten thousand addresses.
const maxRequestBytes = 4 * 1024 * 1024

// The largest message that an upstream sends: a block with its accounts.
const maxUpdateBytes = 64 * 1024 * 1024

/** Field numbers of `SubscribeRequest`. */
const field = { ping: 9, fromSlot: 11 } as const

/**
 * Tracks the complete messages of a Geyser subscription, so that it can resume at another upstream: the current
 * request, and the updates that the client has received.
 *
 * @see specs/grpc/proto/geyser.proto, Subscribe
 */
export class GeyserSubscription {
  readonly #requests = createFrameReader({ maxMessageBytes: maxRequestBytes })
  readonly #deduplicator = new UpdateDeduplicator(replayedSlots)
  #updates: FrameReader = createFrameReader({ maxMessageBytes: maxUpdateBytes })
  #request: Uint8Array | undefined

  /**
   * Accepts bytes of framed requests.
   *
   * @returns the requests that are complete
   * @throws GrpcError when they are not messages, or compressed
   */
  transformRequests(bytes: Uint8Array): Uint8Array {
    const complete: Uint8Array[] = []
    this.#requests.push(bytes)
    for (let next = this.#requests.read(); next; next = this.#requests.read()) {
      if (!isPing(next)) this.#request = next
      complete.push(frameMessage(next))
    }
    return concatenate(complete)
  }

  /**
   * Accepts bytes of framed updates.
   *
   * @returns the updates that are complete, without repetitions
   * @throws GrpcError when they are not messages, or compressed
   */
  transformUpdates(bytes: Uint8Array): Uint8Array {
    const complete: Uint8Array[] = []
    this.#updates.push(bytes)
    for (let next = this.#updates.read(); next; next = this.#updates.read()) {
      const identity = tryRead(() => identityOf(next))
      if (identity === undefined || this.#deduplicator.add(identity)) complete.push(frameMessage(next))
    }
    return concatenate(complete)
  }

  /**
   * Prepares for updates from another upstream.
   *
   * @returns the framed request that resumes the subscription; undefined when there is none yet, or too many updates to
   * detect repetitions
   */
  resume(): Uint8Array | undefined {
    if (this.#request === undefined || this.#deduplicator.isFull) return undefined
    // The rest of a truncated message does not arrive.
    this.#updates = createFrameReader({ maxMessageBytes: maxUpdateBytes })
    this.#deduplicator.expectReplay()
    const { resumeFrom } = this.#deduplicator
    // When a field occurs twice, the last value counts.
    const added = resumeFrom === undefined ? [] : [fromSlot(resumeFrom)]
    return frameMessage(concatenate([this.#request, ...added]))
  }
}

function fromSlot(slot: number): Uint8Array {
  return new BinaryWriter()
    .uint32(field.fromSlot << 3)
    .uint64(slot)
    .finish()
}

/** Whether a request is a ping, which requests a pong and leaves the filters unchanged. */
function isPing(request: Uint8Array): boolean {
  const numbers = tryRead(() => fieldNumbers(request)) ?? []
  return numbers.includes(field.ping)
}

function fieldNumbers(message: Uint8Array): readonly number[] {
  const numbers: number[] = []
  const reader = new BinaryReader(message)
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag()
    numbers.push(number)
    reader.skip(wireType)
  }
  return numbers
}

/** Bytes that are not protobuf pass unchanged: the other side reports the error. */
function tryRead<result>(read: () => result): result | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

function concatenate(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts
  return parts.length === 1 && only ? only : Buffer.concat(parts)
}
