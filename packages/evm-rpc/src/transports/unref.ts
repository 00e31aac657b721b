/** Lets the process end although a timer still runs, where the runtime has such a thing. */
export function unref(timer: unknown): void {
  ;(timer as { unref?(): void }).unref?.()
}
