import { LocationProvider, useLocation } from 'preact-iso'
import { useEffect, useState } from 'preact/hooks'
import { documents } from 'virtual:reference'
import { Icon } from '../components/icon.tsx'
import { Page } from '../components/page.tsx'
import { QueryView } from '../components/query-view.tsx'
import { Toasts } from '../components/toasts.tsx'
import { useQuery } from '../platform/use-query.ts'
import { ThemeSwitch } from '../shell/theme-switch.tsx'
import { loadReference } from './documents/load-reference.ts'
import { DocumentPage } from './page/document-page.tsx'
import { HomePage } from './page/home-page.tsx'
import { Navigation } from './page/navigation.tsx'
import { OperationPage } from './page/operation-page.tsx'
import { type ReferenceRoute, routeOf } from './page/route.ts'
import { AccessProvider } from './request/access.tsx'
import { SchemasProvider } from './schema/schemas-context.ts'

/** The API reference. */
export function ReferenceApp() {
  return (
    <LocationProvider scope="/docs">
      <AccessProvider>
        <Frame />
      </AccessProvider>
      <Toasts />
    </LocationProvider>
  )
}

function Frame() {
  const { path } = useLocation()
  const route = routeOf(path)
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => {
    setIsOpen(false)
    scrollTo(0, 0)
  }, [path])
  return (
    <div class="shell reference">
      <a class="skip-link" href="#content">
        Skip to content
      </a>
      <header class="shell-side">
        <div class="shell-head">
          <a class="brand" href="/docs/">
            <img src={`${import.meta.env.BASE_URL}favicon.svg`} alt="" width="26" height="26" />
            Reference
          </a>
          <button
            type="button"
            class="button is-quiet shell-menu-button"
            aria-expanded={isOpen}
            aria-controls="menu"
            onClick={() => setIsOpen(!isOpen)}
          >
            <Icon name={isOpen ? 'close' : 'menu'} />
            Menu
          </button>
        </div>
        <div id="menu" class={isOpen ? 'shell-menu is-open' : 'shell-menu'}>
          <Navigation route={route} />
          <div class="shell-foot">
            <a href="/console/">Go to console</a>
            <ThemeSwitch />
          </div>
        </div>
      </header>
      <main id="content" class="shell-main" tabIndex={-1}>
        <Content route={route} />
      </main>
    </div>
  )
}

function Content({ route }: { readonly route: ReferenceRoute }) {
  const { document } = route
  if (document === undefined) return <HomePage />
  if (!documents.some(({ name }) => name === document)) return <NotFound />
  return <Document key={document} name={document} route={route} />
}

function Document({ name, route }: { readonly name: string; readonly route: ReferenceRoute }) {
  const query = useQuery(() => loadReference(name), [name])
  return (
    <QueryView query={query} lines={12}>
      {(reference) => {
        if (route.operation === undefined) {
          return (
            <SchemasProvider value={reference.schemas}>
              <DocumentPage key="document" reference={reference} />
            </SchemasProvider>
          )
        }
        const operation = reference.operations.find(({ id }) => id === route.operation)
        if (!operation) return <NotFound />
        return (
          <SchemasProvider value={reference.schemas}>
            <OperationPage key={operation.id} reference={reference} operation={operation} />
          </SchemasProvider>
        )
      }}
    </QueryView>
  )
}

function NotFound() {
  return (
    <Page title="Page not found" back={{ href: '/docs/', label: 'API reference' }}>
      <p>The API reference of this version has no page at this URL. Search for the operation by name.</p>
    </Page>
  )
}
