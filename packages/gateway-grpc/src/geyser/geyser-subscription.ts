import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire'
import { createFrameReader, type FrameReader, frameMessage } from '@fairlead/grpc-transport/wire'
import { DeliveredUpdates } from './delivered-updates.ts'
import { identityOf } from './update-identity.ts'

/** The call that can go on at another upstream. */
export const subscribePath = '/geyser.Geyser/Subscribe'

// Updates of some slots are on their way at a time. Nodes keep hundreds of slots.
const slotsReplayed = 8

// As much as a node sends at most: a block with its accounts.
const maxMessageBytes = 256 * 1024 * 1024

/** Numbers of fields of `SubscribeRequest`. */
const field = { ping: 9, fromSlot: 11 } as const

/**
 * What passes through a Geyser subscription, in whole messages, so that it can go on at another upstream: the request in force, and
 * the updates that the client has.
 *
 * @see specs/grpc/proto/geyser.proto, Subscribe
 */
export class GeyserSubscription {
  readonly #requests = createFrameReader({ maxMessageBytes })
  readonly #delivered = new DeliveredUpdates(slotsReplayed)
  #updates: FrameReader = createFrameReader({ maxMessageBytes })
  #request: Uint8Array | undefined

  /**
   * Takes bytes of framed requests.
   *
   * @returns those that are whole
   * @throws GrpcError when they are no messages, or compressed
   */
  takeRequests(bytes: Uint8Array): Uint8Array {
    const whole: Uint8Array[] = []
    this.#requests.push(bytes)
    for (let next = this.#requests.read(); next; next = this.#requests.read()) {
      if (!isPing(next)) this.#request = next
      whole.push(frameMessage(next))
    }
    return concatenate(whole)
  }

  /**
   * Takes bytes of framed updates.
   *
   * @returns those that are whole, without repetitions
   * @throws GrpcError when they are no messages, or compressed
   */
  takeUpdates(bytes: Uint8Array): Uint8Array {
    const whole: Uint8Array[] = []
    this.#updates.push(bytes)
    for (let next = this.#updates.read(); next; next = this.#updates.read()) {
      const identity = readable(() => identityOf(next))
      if (identity === undefined || this.#delivered.add(identity)) whole.push(frameMessage(next))
    }
    return concatenate(whole)
  }

  /**
   * Has the next updates come from another upstream.
   *
   * @returns the framed request that makes it go on; undefined when there is none yet
   */
  resume(): Uint8Array | undefined {
    if (this.#request === undefined) return undefined
    // The rest of a message that was cut off will not come.
    this.#updates = createFrameReader({ maxMessageBytes })
    this.#delivered.expectReplay()
    const { resumeFrom } = this.#delivered
    // Of a field that comes twice the last one counts.
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

/** Whether a request asks for a pong; it leaves the filters as they are. */
function isPing(request: Uint8Array): boolean {
  const numbers = readable(() => fieldNumbers(request)) ?? []
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

/** What is no protobuf passes as it is: the other side complains about it. */
function readable<result>(read: () => result): result | undefined {
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
