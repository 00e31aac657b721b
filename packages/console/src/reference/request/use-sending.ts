import { useEffect, useRef, useState } from 'preact/hooks'

/** A request that is sent and can be cancelled. */
export interface Sending {
  readonly isPending: boolean
  /** Why there is no response; empty when there is one, or none yet. */
  readonly failure: string
  start(action: (signal: AbortSignal) => Promise<void>): void
  stop(): void
}

/** Runs one request at a time and cancels it when the user leaves the page. */
export function useSending(): Sending {
  const [isPending, setIsPending] = useState(false)
  const [failure, setFailure] = useState('')
  const controller = useRef<AbortController>(null)
  const stop = () => controller.current?.abort()
  useEffect(() => stop, [])
  const run = async (action: (signal: AbortSignal) => Promise<void>) => {
    stop()
    const current = new AbortController()
    controller.current = current
    setIsPending(true)
    setFailure('')
    try {
      await action(current.signal)
    } catch (error) {
      if (!current.signal.aborted)
        setFailure(
          error instanceof TypeError
            ? 'Could not reach the gateway. Check your connection and try again.'
            : String(error),
        )
    } finally {
      if (controller.current === current) setIsPending(false)
    }
  }
  return { isPending, failure, start: (action) => void run(action), stop }
}
