import { lazy, ErrorBoundary, Route, Router, useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'
import { EmptyState } from '../components/card.tsx'
import { Page } from '../components/page.tsx'
import { useSession } from '../platform/session.tsx'
import { navigationItemOf } from './navigation-items.ts'

// Each page is loaded when it is first opened.
const Overview = lazy(async () => (await import('../pages/overview/overview.tsx')).Overview)
const Projects = lazy(async () => (await import('../pages/projects/projects.tsx')).Projects)
const ProjectPage = lazy(async () => (await import('../pages/projects/project-page.tsx')).ProjectPage)
const Nodes = lazy(async () => (await import('../pages/nodes/nodes.tsx')).Nodes)
const NewNode = lazy(async () => (await import('../pages/nodes/new-node.tsx')).NewNode)
const NodePage = lazy(async () => (await import('../pages/nodes/node-page.tsx')).NodePage)
const Playground = lazy(async () => (await import('../playground/playground.tsx')).Playground)
const Usage = lazy(async () => (await import('../pages/usage/usage.tsx')).Usage)
const Members = lazy(async () => (await import('../pages/members/members.tsx')).Members)
const ApiKeys = lazy(async () => (await import('../pages/api-keys/api-keys.tsx')).ApiKeys)
const AuditLog = lazy(async () => (await import('../pages/audit-log/audit-log.tsx')).AuditLog)
const Webhooks = lazy(async () => (await import('../pages/webhooks/webhooks.tsx')).Webhooks)
const WebhookPage = lazy(async () => (await import('../pages/webhooks/webhook-page.tsx')).WebhookPage)
const Account = lazy(async () => (await import('../pages/account/account.tsx')).Account)

/** The page of the current URL, if the user can see it. */
export function Pages() {
  const { path } = useLocation()
  const { scopes } = useSession()
  const [hasFailed, setHasFailed] = useState(false)
  const scope = navigationItemOf(path)?.scope
  if (scope !== undefined && !scopes.includes(scope)) return <NotAllowed />
  if (hasFailed) return <Outdated />
  return (
    <ErrorBoundary onError={() => setHasFailed(true)}>
      <Router>
        <Route path="/console" component={Overview} />
        <Route path="/console/projects" component={Projects} />
        <Route path="/console/projects/:id" component={ProjectPage} />
        <Route path="/console/nodes" component={Nodes} />
        <Route path="/console/nodes/new" component={NewNode} />
        <Route path="/console/nodes/:id/:tab?" component={NodePage} />
        <Route path="/console/playground" component={Playground} />
        <Route path="/console/usage" component={Usage} />
        <Route path="/console/members" component={Members} />
        <Route path="/console/api-keys" component={ApiKeys} />
        <Route path="/console/audit-log" component={AuditLog} />
        <Route path="/console/webhooks" component={Webhooks} />
        <Route path="/console/webhooks/:id" component={WebhookPage} />
        <Route path="/console/account" component={Account} />
        <Route default component={NotFound} />
      </Router>
    </ErrorBoundary>
  )
}

function NotFound() {
  return (
    <Page title="Page not found">
      <div class="card">
        <EmptyState icon="overview" title="This page does not exist" action={<HomeLink />}>
          It may have been deleted, or the URL is wrong.
        </EmptyState>
      </div>
    </Page>
  )
}

function NotAllowed() {
  return (
    <Page title="You do not have access">
      <div class="card">
        <EmptyState icon="account" title="Your role does not have access to this page" action={<HomeLink />}>
          Ask an owner or an admin of the organization to change your role.
        </EmptyState>
      </div>
    </Page>
  )
}

// A page of an older gateway version may reference files that a newer one no longer has.
function Outdated() {
  return (
    <Page title="This page failed to load">
      <div class="card">
        <EmptyState
          icon="screen"
          title="Reload the console"
          action={
            <button type="button" class="button is-primary" onClick={() => location.reload()}>
              Reload
            </button>
          }
        >
          The gateway may have been updated since you opened this page.
        </EmptyState>
      </div>
    </Page>
  )
}

function HomeLink() {
  return (
    <a class="button" href="/console/">
      Go to overview
    </a>
  )
}
