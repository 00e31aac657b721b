import type { ComponentChildren } from 'preact'
import { useArrival } from '../components/use-page-heading.ts'

/** A page without navigation: one card in the middle. */
export function Alone({
  title,
  description,
  children,
}: {
  readonly title: string
  readonly description?: ComponentChildren
  readonly children: ComponentChildren
}) {
  const heading = useArrival(title)
  return (
    <main class="alone">
      <div class="brand">
        <img src={`${import.meta.env.BASE_URL}favicon.svg`} alt="" width="26" height="26" />
        Fairlead
      </div>
      <div class="card">
        <div class="alone-title">
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
