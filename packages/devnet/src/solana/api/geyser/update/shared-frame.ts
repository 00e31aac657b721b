import { SubscribeUpdate } from '@fairlead/grpc/geyser'
import { frameMessage } from '@fairlead/grpc-transport/wire'

/** An encoded update that all its receivers share. */
export interface SharedFrame {
  /**
   * Returns the frame of the update for receivers whose filters with these names matched; the same bytes for the same
   * names.
   *
   * @param names filters that matched
   */
  of(names: readonly string[]): Uint8Array
}

/**
 * Encodes an update once for all its receivers. The filter names come first in the bytes, and only they differ between
 * receivers.
 *
 * @param updateOneof the update
 */
export function shareFrame(updateOneof: SubscribeUpdate['updateOneof']): SharedFrame {
  const frames = new Map<string, Uint8Array>()
  let body: Uint8Array | undefined
  return {
    of: (names) => {
      const key = JSON.stringify(names)
      const known = frames.get(key)
      if (known !== undefined) return known
      body ??= SubscribeUpdate.encode({ filters: [], updateOneof, createdAt: now() }).finish()
      const frame = frameMessage(Buffer.concat([encodeNames(names), body]))
      frames.set(key, frame)
      return frame
    },
  }
}

/** Encodes an update that does not depend on a filter: a ping or a pong. */
export function frameWithoutNames(updateOneof: SubscribeUpdate['updateOneof']): Uint8Array {
  return frameMessage(SubscribeUpdate.encode({ filters: [], updateOneof, createdAt: now() }).finish())
}

function encodeNames(names: readonly string[]): Uint8Array {
  return SubscribeUpdate.encode({
    filters: [...names],
    updateOneof: undefined,
    createdAt: undefined,
  }).finish()
}

function now(): NonNullable<SubscribeUpdate['createdAt']> {
  const nanoseconds = BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000)) * 1000n
  return { seconds: nanoseconds / 1_000_000_000n, nanos: Number(nanoseconds % 1_000_000_000n) }
}
