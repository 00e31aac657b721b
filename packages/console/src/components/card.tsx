import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { Icon, type IconName } from './icon.tsx'

/** A section of a page with its own heading. */
export function Card({
  title,
  description,
  actions,
  flush = false,
  children,
}: {
  readonly title: string
  readonly description?: ComponentChildren
  readonly actions?: ComponentChildren
  /** Whether the content extends to the edges, like a table. */
  readonly flush?: boolean
  readonly children: ComponentChildren
}) {
  const id = useId()
  return (
    <section class="card" aria-labelledby={id}>
      <div class="card-head">
        <div>
          <h2 id={id}>{title}</h2>
          {description !== undefined && <p class="muted small">{description}</p>}
        </div>
        {actions !== undefined && <div class="row">{actions}</div>}
      </div>
      {flush ? children : <div class="card-body">{children}</div>}
    </section>
  )
}

/** Placeholder for an empty list that explains the next step. */
export function EmptyState({
  icon,
  title,
  children,
  action,
}: {
  readonly icon: IconName
  readonly title: string
  readonly children: ComponentChildren
  readonly action?: ComponentChildren
}) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      <p>{children}</p>
      {action}
    </div>
  )
}
