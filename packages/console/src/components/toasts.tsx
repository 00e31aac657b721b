import { useEffect, useState } from 'preact/hooks'

interface Toast {
  readonly id: number
  readonly text: string
}

const shownMs = 5_000

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
      setToasts((shown) => [...shown, { id, text }])
      setTimeout(() => setToasts((shown) => shown.filter((toast) => toast.id !== id)), shownMs)
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
