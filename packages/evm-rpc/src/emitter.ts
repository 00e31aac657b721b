import { callListener } from './call-listener.ts'

/** Listeners by event name. */
export interface Emitter<events> {
  add<name extends keyof events>(name: name, listener: (event: events[name]) => void, once: boolean): void
  /** Removes one registration of this listener, including one registered with `once`. */
  remove<name extends keyof events>(name: name, listener: (event: events[name]) => void): void
  emit<name extends keyof events>(name: name, event: events[name]): void
}

interface Entry {
  readonly name: unknown
  readonly listener: (event: never) => void
  readonly once: boolean
}

/** Creates an emitter. As in Node.js, a listener that was added twice is called twice. */
export function createEmitter<events>(): Emitter<events> {
  let entries: readonly Entry[] = []
  return {
    add(name, listener, once) {
      entries = [...entries, { name, listener, once }]
    },
    remove(name, listener) {
      const last = entries.findLast((entry) => entry.name === name && entry.listener === listener)
      entries = entries.filter((entry) => entry !== last)
    },
    emit(name, event) {
      for (const entry of entries) {
        if (entry.name !== name) continue
        if (entry.once) entries = entries.filter((registered) => registered !== entry)
        callListener(() => entry.listener(event as never))
      }
    },
  }
}
