import { lazy, ErrorBoundary, Route, Router, useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'
import { EmptyState } from '../components/card.tsx'
import { Page } from '../components/page.tsx'
import { useSession } from '../platform/session.tsx'
import { placeOf } from './places.ts'

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
  const scope = placeOf(path)?.scope
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
    <Page title="No such page">
      <div class="card">
        <EmptyState icon="overview" title="There is nothing at this address" action={<HomeLink />}>
          What was here may have been deleted.
        </EmptyState>
      </div>
    </Page>
  )
}

function NotAllowed() {
  return (
    <Page title="Not for your role">
      <div class="card">
        <EmptyState icon="account" title="Your role does not show you this page" action={<HomeLink />}>
          An owner or an administrator of the organization can give you another role.
        </EmptyState>
      </div>
    </Page>
  )
}

// A page of an older gateway version may reference files that a newer one no longer has.
function Outdated() {
  return (
    <Page title="This page could not be shown">
      <div class="card">
        <EmptyState
          icon="screen"
          title="Load the console again"
          action={
            <button type="button" class="button is-primary" onClick={() => location.reload()}>
              Reload
            </button>
          }
        >
          The service may have been updated since this page was opened.
        </EmptyState>
      </div>
    </Page>
  )
}

function HomeLink() {
  return (
    <a class="button" href="/console/">
      To the overview
    </a>
  )
}
