import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

/** A dialog over the page; the browser keeps the focus in it and gives it back. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  readonly title: string
  onClose(): void
  readonly children: ComponentChildren
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const element = dialog.current
    const opener = document.activeElement
    element?.showModal()
    return () => {
      element?.close()
      // What is taken out of the page while it is open gives no focus back by itself.
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <div class="dialog-content">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  )
}
