import type { components } from '@fairlead/platform-client'
import { useLocation, useRoute } from 'preact-iso'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Page } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { ConfirmDialog, EditDialog } from '../../form/edit-dialog.tsx'
import { CheckField, TextField } from '../../form/fields.tsx'
import { isChecked, text } from '../../form/values.ts'
import { bodyOf, ifMatch, platform, versionOf } from '../../platform/client.ts'
import { useMay } from '../../platform/session.tsx'
import { useQuery } from '../../platform/use-query.ts'
import { LimitsCard } from '../limits/limits-card.tsx'
import { AccessRules } from './access-rules.tsx'
import { Connect } from './connect.tsx'
import { Credentials } from './credentials.tsx'
import { Methods } from './methods.tsx'
import { Upstreams } from './upstreams.tsx'
import { UpstreamFields, upstreamProtocolsOf, upstreamsOf } from './upstream-fields.tsx'

type Node = components['schemas']['Node']

const back = { href: '/console/nodes', label: 'Nodes' }

const tabs = {
  '': 'Connect',
  credentials: 'Credentials',
  rules: 'Access rules',
  limits: 'Limits',
  methods: 'Methods',
  upstreams: 'Upstreams',
} as const

/** The page of one node, with tabs. */
export function NodePage() {
  const { params } = useRoute()
  const { id = '', tab = '' } = params
  const node = useQuery(() => bodyOf(platform.GET('/v2/nodes/{id}/', { params: { path: { id } } })), [id])
  if (!node.data) {
    return (
      <Page title="Node" back={back}>
        <QueryView query={node} lines={8}>
          {() => null}
        </QueryView>
      </Page>
    )
  }
  return <NodeView key={id} node={node.data} tab={tab} onChange={node.reload} />
}

function NodeView({ node, tab, onChange }: { readonly node: Node; readonly tab: string; onChange(): void }) {
  const mayWrite = useMay('nodes:write')
  const [dialog, setDialog] = useState<'edit' | 'delete'>()
  const isManagedByApi = node.managed_by === 'api'
  return (
    <Page
      title={node.name}
      back={back}
      description={
        <>
          {node.chain}, {node.network}, in{' '}
          <a href={`/console/projects/${node.project.id}`}>{node.project.name}</a>
          {!isManagedByApi && '. Managed in the gateway configuration.'}
        </>
      }
      actions={
        mayWrite && (
          <>
            <button type="button" class="button" onClick={() => setDialog('edit')}>
              Edit
            </button>
            {isManagedByApi && (
              <button type="button" class="button is-danger" onClick={() => setDialog('delete')}>
                Delete
              </button>
            )}
          </>
        )
      }
    >
      <Tabs nodeId={node.id} current={tab} />
      <Sidebar node={node} tab={tab} mayWrite={mayWrite} />
      {dialog === 'edit' && <EditNode node={node} onSaved={onChange} onClose={() => setDialog(undefined)} />}
      {dialog === 'delete' && <DeleteNode node={node} onClose={() => setDialog(undefined)} />}
    </Page>
  )
}

function Tabs({ nodeId, current }: { readonly nodeId: string; readonly current: string }) {
  const row = useRef<HTMLElement>(null)
  // On a narrow screen the tab may be scrolled out of view.
  useEffect(() => {
    const tab = row.current?.querySelector('[aria-current]')
    tab?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [current])
  return (
    <nav ref={row} class="tabs" aria-label="Node sections">
      {Object.entries(tabs).map(([name, label]) => (
        <a
          key={name}
          href={`/console/nodes/${nodeId}${name === '' ? '' : `/${name}`}`}
          aria-current={name === current ? 'page' : undefined}
        >
          {label}
        </a>
      ))}
    </nav>
  )
}

function Sidebar({
  node,
  tab,
  mayWrite,
}: {
  readonly node: Node
  readonly tab: string
  readonly mayWrite: boolean
}) {
  const path = { id: node.id }
  switch (tab) {
    case 'credentials':
      return <Credentials nodeId={node.id} protocols={node.protocols} />
    case 'rules':
      return <AccessRules nodeId={node.id} />
    case 'limits':
      return (
        <LimitsCard
          title="Node limits"
          mayWrite={mayWrite}
          load={() => versionOf(platform.GET('/v2/nodes/{id}/limits/', { params: { path } }))}
          save={(body, etag) =>
            bodyOf(platform.PUT('/v2/nodes/{id}/limits/', { params: { path, header: ifMatch(etag) }, body }))
          }
        />
      )
    case 'methods':
      return <Methods nodeId={node.id} />
    case 'upstreams':
      return <Upstreams nodeId={node.id} />
    default:
      return <Connect node={node} />
  }
}

function EditNode({ node, onSaved, onClose }: { readonly node: Node; onSaved(): void; onClose(): void }) {
  const path = { id: node.id }
  const isManagedByApi = node.managed_by === 'api'
  return (
    <EditDialog
      title="Edit node"
      load={() => versionOf(platform.GET('/v2/nodes/{id}/', { params: { path } }))}
      save={(values, etag) => {
        const upstreams = upstreamsOf(values)
        const name = text(values, 'name')
        const network = text(values, 'network')
        const body = {
          name,
          // A given network detaches the node from its deployment option, even if it is the same.
          ...(isManagedByApi && network !== node.network && { network }),
          ...(upstreams && { upstreams }),
          ...(isManagedByApi &&
            node.protocols.includes('beacon') && { beacon_debug: isChecked(values, 'beacon_debug') }),
        }
        return bodyOf(platform.PATCH('/v2/nodes/{id}/', { params: { path, header: ifMatch(etag) }, body }))
      }}
      onSaved={onSaved}
      onClose={onClose}
    >
      {(current) => (
        <>
          <TextField name="name" label="Name" value={current.name} maxLength={100} required />
          {isManagedByApi && (
            <>
              <TextField name="network" label="Network" value={current.network} maxLength={64} required />
              {current.protocols.includes('beacon') && (
                <CheckField
                  name="beacon_debug"
                  label="Enable the debug endpoints of the Beacon node API"
                  checked={current.beacon_debug}
                />
              )}
              <details class="stack">
                <summary>Replace upstreams</summary>
                <div class="stack">
                  <p class="muted small">Empty fields keep their current upstreams.</p>
                  <UpstreamFields protocols={upstreamProtocolsOf(current.protocols)} />
                </div>
              </details>
            </>
          )}
        </>
      )}
    </EditDialog>
  )
}

function DeleteNode({ node, onClose }: { readonly node: Node; onClose(): void }) {
  const { route } = useLocation()
  return (
    <ConfirmDialog
      title={`Delete ${node.name}?`}
      submit="Delete node"
      done="Node deleted"
      confirm={() => bodyOf(platform.DELETE('/v2/nodes/{id}/', { params: { path: { id: node.id } } }))}
      onDone={() => route(back.href, true)}
      onClose={onClose}
    >
      Its URLs and credentials stop working immediately. This cannot be undone.
    </ConfirmDialog>
  )
}
