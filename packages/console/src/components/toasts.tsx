import { useEffect, useState } from 'preact/hooks'

interface Toast {
  readonly id: number
  readonly text: string
}

const visibleMs = 5_000

let add: (text: string) => void = () => {}

/** Announces the result of an action, visually and to screen readers. */
export function announce(text: string): void {
  add(text)
}

/** The container of announcements. */
export function Toasts() {
  const [toasts, setToasts] = useState<readonly Toast[]>([])
  useEffect(() => {
    let count = 0
    add = (text) => {
      const id = ++count
      setToasts((current) => [...current, { id, text }])
      setTimeout(() => setToasts((current) => current.filter((toast) => toast.id !== id)), visibleMs)
    }
    return () => {
      add = () => {}
    }
  }, [])
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.map(({ id, text }) => (
        <p key={id} class="toast">
          {text}
        </p>
      ))}
    </div>
  )
}
