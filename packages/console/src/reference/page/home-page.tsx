import { documents } from 'virtual:reference'
import { Page } from '../../components/page.tsx'
import { hrefOf } from './route.ts'

/** The list of documents. */
export function HomePage() {
  return (
    <Page title="API reference" description="All APIs of this gateway, generated from their specifications.">
      <ul class="grid-3">
        {documents.map(({ name, title, version, operations }) => (
          <li key={name}>
            <a class="card document-card" href={hrefOf(name)}>
              <strong>{title}</strong>
              <span class="muted small">
                {operations.length} operations{version && `, version ${version}`}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </Page>
  )
}
