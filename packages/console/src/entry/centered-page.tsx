import type { ComponentChildren } from 'preact'
import { usePageHeading } from '../components/use-page-heading.ts'

/** A page without navigation: one card in the middle. */
export function CenteredPage({
  title,
  description,
  children,
}: {
  readonly title: string
  readonly description?: ComponentChildren
  readonly children: ComponentChildren
}) {
  const heading = usePageHeading(title)
  return (
    <main class="centered">
      <div class="brand">
        <img src={`${import.meta.env.BASE_URL}favicon.svg`} alt="" width="26" height="26" />
        Fairlead
      </div>
      <div class="card">
        <div class="centered-title">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {description !== undefined && <p class="muted">{description}</p>}
        </div>
        {children}
      </div>
    </main>
  )
}
