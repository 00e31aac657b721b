import type { ComponentChildren } from 'preact'
import { CopyValue } from './copy.tsx'
import { Dialog } from './dialog.tsx'

/** A new secret and what it is for. */
export interface Secret {
  readonly label: string
  readonly value: string
}

/** Shows new secrets. Closing the dialog removes them from the page. */
export function SecretDialog({
  title,
  secrets,
  children,
  onClose,
}: {
  readonly title: string
  readonly secrets: readonly Secret[]
  readonly children?: ComponentChildren
  onClose(): void
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      {secrets.map(({ label, value }) => (
        <div key={label} class="secret">
          <span class="small muted">{label}</span>
          <CopyValue label={label} value={value} />
        </div>
      ))}
      <div class="form-actions">
        <button type="button" class="button is-primary" onClick={onClose}>
          Done
        </button>
      </div>
    </Dialog>
  )
}
