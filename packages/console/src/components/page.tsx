import type { ComponentChildren } from 'preact'
import { Icon } from './icon.tsx'
import { usePageHeading } from './use-page-heading.ts'

/** One page: its heading, its actions, and its content. */
export function Page({
  title,
  description,
  back,
  actions,
  children,
}: {
  readonly title: string
  readonly description?: ComponentChildren
  /** The page above this one. */
  readonly back?: { readonly href: string; readonly label: string }
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}) {
  const heading = usePageHeading(title)
  return (
    <div class="page">
      <header class="page-head">
        <div>
          {back && (
            <a class="breadcrumb" href={back.href}>
              <Icon name="back" />
              {back.label}
            </a>
          )}
          <h1 ref={heading} tabIndex={-1} class="break-anywhere">
            {title}
          </h1>
          {description !== undefined && <div class="page-description">{description}</div>}
        </div>
        {actions !== undefined && <div class="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  )
}
