import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

// At the first page of a visit the reader is already.
let hasShownPage = false

/** Takes whoever listens or uses the keyboard to the heading of a page that has come in place of another one. */
export function useArrival(title: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement | null>(null)
  useEffect(() => {
    if (hasShownPage) heading.current?.focus({ preventScroll: true })
    hasShownPage = true
  }, [])
  useEffect(() => {
    document.title = `${title} · Fairlead`
  }, [title])
  return heading
}
