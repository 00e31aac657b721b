import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { Icon, type IconName } from './icon.tsx'

/** A part of a page with a heading of its own. */
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
  /** Whether the content reaches to the edges, as a table does. */
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

/** Stands where a list has nothing yet, and says what to do about it. */
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
