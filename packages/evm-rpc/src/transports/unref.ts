/** Allows the process to exit while a timer is active, if the runtime supports it. */
export function unref(timer: unknown): void {
  ;(timer as { unref?(): void }).unref?.()
}
