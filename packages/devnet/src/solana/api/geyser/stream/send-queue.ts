/** A bounded queue of frames for a subscriber, in order. */
export interface SendQueue {
  /** Appends a frame; returns false when a limit is exceeded. */
  push(frame: Uint8Array): boolean
  /** Inserts a frame before all others. */
  pushFirst(frame: Uint8Array): boolean
  /** Appends frames that are created on demand. Remaining frames of an earlier call are discarded. */
  pushLazily(frames: Iterable<Uint8Array>): void
  /** Removes the next frame; returns undefined when the queue is empty. */
  shift(): Uint8Array | undefined
  /** Resolves when the queue may contain a frame. */
  filled(): Promise<void>
  clear(): void
}

/**
 * Limits of the queue; frames created on demand do not count. The frame that exceeds the limit of bytes is still
 * accepted, because a single block may be larger than the limit.
 */
export interface SendQueueLimits {
  readonly maxMessages: number
  readonly maxBytes: number
}

/** Creates an empty send queue. */
export function createSendQueue({ maxMessages, maxBytes }: SendQueueLimits): SendQueue {
  const first = createQueue<Uint8Array>()
  const rest = createQueue<Uint8Array | Iterator<Uint8Array>>()
  let lazy: Iterator<Uint8Array> | undefined
  let messages = 0
  let bytes = 0
  let notify = (): void => undefined

  const put = (queue: { put(frame: Uint8Array): void }, frame: Uint8Array): boolean => {
    if (messages >= maxMessages || bytes >= maxBytes) return false
    messages += 1
    bytes += frame.length
    queue.put(frame)
    notify()
    return true
  }
  const release = (frame: Uint8Array): Uint8Array => {
    messages -= 1
    bytes -= frame.length
    return frame
  }
  const shiftRest = (): Uint8Array | undefined => {
    for (;;) {
      const item = rest.head
      if (item === undefined) return undefined
      if (item instanceof Uint8Array) {
        rest.drop()
        return release(item)
      }
      const next = item === lazy ? item.next() : undefined
      if (next?.done === false) return next.value
      rest.drop()
    }
  }
  return {
    push: (frame) => put(rest, frame),
    pushFirst: (frame) => put(first, frame),
    pushLazily: (frames) => {
      lazy = frames[Symbol.iterator]()
      rest.put(lazy)
      notify()
    },
    shift: () => {
      const frame = first.head
      if (frame === undefined) return shiftRest()
      first.drop()
      return release(frame)
    },
    filled: () =>
      first.head !== undefined || rest.head !== undefined
        ? Promise.resolve()
        : new Promise((resolve) => {
            notify = resolve
          }),
    clear: () => {
      first.clear()
      rest.clear()
      lazy = undefined
      messages = 0
      bytes = 0
      notify()
    },
  }
}

interface Queue<item> {
  readonly head: item | undefined
  put(item: item): void
  drop(): void
  clear(): void
}

// Uses a moving index, because the cost of a shift grows with the length of the array.
function createQueue<item>(): Queue<item> {
  let items: (item | undefined)[] = []
  let next = 0
  return {
    get head() {
      return items[next]
    },
    put: (item) => void items.push(item),
    drop: () => {
      items[next++] = undefined
      if (next < 1024 || next * 2 < items.length) return
      items = items.slice(next)
      next = 0
    },
    clear: () => {
      items = []
      next = 0
    },
  }
}
