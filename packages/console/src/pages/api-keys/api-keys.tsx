import type { components } from '@fairlead/platform-client'
import { useState } from 'preact/hooks'
import { StateBadge } from '../../components/badge.tsx'
import { EmptyState } from '../../components/card.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Icon } from '../../components/icon.tsx'
import { Page } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { SecretDialog } from '../../components/secret-dialog.tsx'
import { Time } from '../../components/time.tsx'
import { pageSize, usePaging } from '../../components/use-paging.ts'
import { bodyOf, platform } from '../../platform/client.ts'
import { type Session, useMay, useSession } from '../../platform/session.tsx'
import { useQuery } from '../../platform/use-query.ts'
import { CreateKey, EditKey, RevokeKey, RotateKey } from './key-dialogs.tsx'

type ApiKey = components['schemas']['ApiKey']
type DialogState =
  | { readonly kind: 'create' }
  | { readonly kind: 'edit' | 'rotate' | 'revoke'; readonly apiKey: ApiKey }

/** The API keys with which programs call the platform API. */
export function ApiKeys() {
  const session = useSession()
  const mayWrite = useMay('keys:write')
  const paging = usePaging('keys')
  const [dialog, setDialog] = useState<DialogState>()
  const [issued, setIssued] = useState<string>()
  const keys = useQuery(() => {
    const query = { page: paging.page, page_size: pageSize }
    return bodyOf(platform.GET('/v1/api-keys/', { params: { query } }))
  }, [paging.page])
  const columns: readonly Column<ApiKey>[] = [
    ...facts,
    ...(mayWrite
      ? [
          {
            label: 'Actions',
            kind: 'actions' as const,
            cell: (apiKey: ApiKey) =>
              canChange(session, apiKey) && <Actions apiKey={apiKey} onOpen={setDialog} />,
          },
        ]
      : []),
  ]
  const create = mayWrite && (
    <button type="button" class="button is-primary" onClick={() => setDialog({ kind: 'create' })}>
      <Icon name="plus" />
      New API key
    </button>
  )
  const close = () => setDialog(undefined)
  const onIssued = (key: string) => {
    close()
    setIssued(key)
    keys.reload()
  }
  return (
    <Page
      title="API keys"
      description="Authenticate applications to the platform API. To call a node, use a node credential."
      actions={create}
    >
      <div class="card">
        <QueryView query={keys}>
          {(list) =>
            list.count === 0 ? (
              <EmptyState icon="key" title="No API keys yet" action={create}>
                Create one key per application, with only the scopes it needs.
              </EmptyState>
            ) : (
              <DataTable
                caption="API keys"
                columns={columns}
                rows={list.results}
                keyOf={({ id }) => id}
                paging={paging.of(list)}
              />
            )
          }
        </QueryView>
      </div>
      {dialog?.kind === 'create' && <CreateKey onIssued={onIssued} onClose={close} />}
      {dialog?.kind === 'edit' && <EditKey apiKey={dialog.apiKey} onSaved={keys.reload} onClose={close} />}
      {dialog?.kind === 'rotate' && <RotateKey apiKey={dialog.apiKey} onIssued={onIssued} onClose={close} />}
      {dialog?.kind === 'revoke' && (
        <RevokeKey apiKey={dialog.apiKey} onRevoked={keys.reload} onClose={close} />
      )}
      {issued !== undefined && (
        <SecretDialog
          title="API key"
          secrets={[{ label: 'API key', value: issued }]}
          onClose={() => setIssued(undefined)}
        >
          <p>
            Copy the key now. It is not shown again. Anyone with the key has the permissions of its scopes.
          </p>
        </SecretDialog>
      )}
    </Page>
  )
}

const facts: readonly Column<ApiKey>[] = [
  {
    label: 'Name',
    cell: ({ name, secrets }) => (
      <>
        <div>{name}</div>
        <div class="muted small code">{secrets.map(({ prefix }) => `${prefix}…`).join(', ')}</div>
      </>
    ),
  },
  {
    label: 'Scopes',
    cell: ({ scopes }) => (
      <details>
        <summary>{scopes.length === 1 ? scopes[0] : `${scopes.length} scopes`}</summary>
        <span class="small">{scopes.join(', ')}</span>
      </details>
    ),
  },
  { label: 'Created by', cell: ({ creator }) => <span class="break-anywhere">{creator.email}</span> },
  { label: 'State', cell: ({ state }) => <StateBadge state={state} /> },
  { label: 'Expires', cell: ({ expires_at: at }) => <Time at={at} /> },
  {
    label: 'Last used',
    cell: ({ last_used_at: at, last_used_ip: ip }) => (
      <>
        <Time at={at} />
        {ip !== null && <span class="muted small"> from {ip}</span>}
      </>
    ),
  },
]

// An editor can change only their own keys.
function canChange({ role, user }: Session, { creator, state }: ApiKey): boolean {
  return state === 'active' && (role === 'owner' || role === 'admin' || creator.id === user.id)
}

function Actions({ apiKey, onOpen }: { readonly apiKey: ApiKey; onOpen(dialog: DialogState): void }) {
  const action = (kind: 'edit' | 'rotate' | 'revoke', label: string) => (
    <button
      type="button"
      class={`button is-quiet is-small${kind === 'revoke' ? ' is-danger' : ''}`}
      aria-label={`${label} ${apiKey.name}`}
      onClick={() => onOpen({ kind, apiKey })}
    >
      {label}
    </button>
  )
  return (
    <>
      {action('edit', 'Edit')}
      {action('rotate', 'Rotate')}
      {action('revoke', 'Revoke')}
    </>
  )
}
