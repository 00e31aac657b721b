import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

/** The form that sends a request. Its content is created, and sends requests, only after it is opened. */
export function TrySection({ children }: { children(): ComponentChildren }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details class="try" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Try it</summary>
      {isOpen && <div class="form">{children()}</div>}
    </details>
  )
}
