import type { SubscribeUpdate } from '../../generated/geyser.ts'
import { writeKey } from './update-key.ts'

/**
 * The keys of the delivered updates of a slot.
 *
 * Until an update is repeated the keys are only appended, which costs a tenth of a set. A replay then converts them to
 * a set.
 */
export interface Deduplicator {
  /** Records an update that cannot be a repetition. */
  append(update: SubscribeUpdate): void
  /** Records an update; returns false when it was recorded before. */
  add(update: SubscribeUpdate): boolean
  /** Number of recorded updates, including repetitions. */
  readonly size: number
}

export function createDeduplicator(): Deduplicator {
  let log = new Uint8Array(0)
  let logLength = 0
  let count = 0
  let set: Set<string> | undefined

  const keys = () => {
    if (set) return set
    set = new Set()
    const view = new DataView(log.buffer)
    for (let at = 0; at < logLength;) {
      const length = view.getUint16(at)
      set.add(textOf(log.subarray(at + 2, at + 2 + length)))
      at += 2 + length
    }
    log = new Uint8Array(0)
    return set
  }

  const add = (update: SubscribeUpdate) => {
    const sizeBefore = keys().size
    keys().add(keyOf(update))
    const isNew = keys().size > sizeBefore
    if (isNew) count++
    return isNew
  }

  return {
    append(update) {
      if (set) {
        add(update)
        return
      }
      if (log.length - logLength < maxKeyBytes) {
        const longer = new Uint8Array(Math.max(2 * log.length, 4 * maxKeyBytes))
        longer.set(log.subarray(0, logLength))
        log = longer
      }
      const length = writeKey(update, log, logLength + 2)
      log[logLength] = length >> 8
      log[logLength + 1] = length & 0xff
      logLength += 2 + length
      count++
    },
    add,
    get size() {
      return count
    },
  }
}

function keyOf(update: SubscribeUpdate): string {
  return textOf(scratch.subarray(0, writeKey(update, scratch, 0)))
}

/** Maximum size of a key in bytes, including its length. */
const maxKeyBytes = 256
const scratch = new Uint8Array(maxKeyBytes)

function textOf(bytes: Uint8Array): string {
  return String.fromCharCode.apply(undefined, bytes as unknown as number[])
}
