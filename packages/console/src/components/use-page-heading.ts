import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

// The first page of a visit needs no focus change.
let hasShownPage = false

/** Moves the focus to the heading of a new page, for screen readers and keyboard users. */
export function usePageHeading(title: string): RefObject<HTMLHeadingElement | null> {
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
