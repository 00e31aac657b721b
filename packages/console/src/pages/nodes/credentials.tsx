import type { components } from '@fairlead/platform-client'
import { useState } from 'preact/hooks'
import { StateBadge } from '../../components/badge.tsx'
import { Card, EmptyState } from '../../components/card.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { SecretDialog } from '../../components/secret-dialog.tsx'
import { Time } from '../../components/time.tsx'
import { announce } from '../../components/toasts.tsx'
import { pageSize, usePaging } from '../../components/use-paging.ts'
import { bodyOf, platform } from '../../platform/client.ts'
import { asProblem } from '../../platform/problem.ts'
import { useMay } from '../../platform/session.tsx'
import { useQuery } from '../../platform/use-query.ts'
import {
  CreateCredential,
  CredentialLimits,
  EditCredential,
  RevokeCredential,
  RotateCredential,
} from './credential-dialogs.tsx'
import { credentialSecrets } from './credential-secrets.ts'

type Credential = components['schemas']['NodeCredential']
type IssuedSecret = { readonly title: string; readonly secret: components['schemas']['NodeSecret'] }
type Dialog =
  | { readonly kind: 'create' }
  | { readonly kind: 'edit' | 'rotate' | 'revoke' | 'limits'; readonly credential: Credential }

/** The credentials of a node and their actions. */
export function Credentials({
  nodeId,
  protocols,
}: {
  readonly nodeId: string
  readonly protocols: readonly string[]
}) {
  const mayRead = useMay('credentials:read')
  const mayWrite = useMay('credentials:write')
  const paging = usePaging('credentials')
  const [dialog, setDialog] = useState<Dialog>()
  const [issued, setIssued] = useState<IssuedSecret>()
  const credentials = useQuery(() => {
    const query = { page: paging.page, page_size: pageSize }
    return bodyOf(platform.GET('/v2/nodes/{id}/credentials/', { params: { path: { id: nodeId }, query } }))
  }, [nodeId, paging.page])
  const reveal = async ({ id }: Credential) => {
    try {
      const path = { id: nodeId, credential_id: id }
      const secret = await bodyOf(
        platform.POST('/v2/nodes/{id}/credentials/{credential_id}/reveal/', { params: { path } }),
      )
      setIssued({ title: 'Credential', secret })
    } catch (error) {
      announce(asProblem(error).message)
    }
  }
  if (!mayRead) return <p class="muted">Your role does not have access to credentials.</p>
  const columns: readonly Column<Credential>[] = [
    ...facts,
    ...(mayWrite
      ? [
          {
            label: 'Actions',
            kind: 'actions' as const,
            cell: (credential: Credential) => (
              <Actions credential={credential} onReveal={() => void reveal(credential)} onOpen={setDialog} />
            ),
          },
        ]
      : []),
  ]
  const create = mayWrite && (
    <button type="button" class="button is-primary is-small" onClick={() => setDialog({ kind: 'create' })}>
      New credential
    </button>
  )
  const done = (title: string) => (secret: components['schemas']['NodeSecret']) => {
    setDialog(undefined)
    setIssued({ title, secret })
    credentials.reload()
  }
  const shared = { nodeId, onClose: () => setDialog(undefined) }
  return (
    <Card
      title="Credentials"
      description="Each credential grants access to this node. Create one per application, so that you can revoke them independently."
      actions={create}
      flush
    >
      <QueryView query={credentials}>
        {(list) =>
          list.count === 0 ? (
            <EmptyState icon="key" title="No credentials yet">
              Create a credential to call this node.
            </EmptyState>
          ) : (
            <DataTable
              caption="Credentials of the node"
              columns={columns}
              rows={list.results}
              keyOf={({ id }) => id}
              paging={paging.of(list)}
            />
          )
        }
      </QueryView>
      {dialog?.kind === 'create' && (
        <CreateCredential {...shared} protocols={protocols} onIssued={done('New credential')} />
      )}
      {dialog?.kind === 'edit' && (
        <EditCredential {...shared} credential={dialog.credential} onSaved={credentials.reload} />
      )}
      {dialog?.kind === 'limits' && <CredentialLimits {...shared} credential={dialog.credential} />}
      {dialog?.kind === 'rotate' && (
        <RotateCredential {...shared} credential={dialog.credential} onIssued={done('Rotated credential')} />
      )}
      {dialog?.kind === 'revoke' && (
        <RevokeCredential {...shared} credential={dialog.credential} onRevoked={credentials.reload} />
      )}
      {issued && (
        <SecretDialog
          title={issued.title}
          secrets={credentialSecrets(issued.secret)}
          onClose={() => setIssued(undefined)}
        >
          <p>Anyone with this secret can call the node. Keep it out of code and logs.</p>
        </SecretDialog>
      )}
    </Card>
  )
}

const facts: readonly Column<Credential>[] = [
  { label: 'Label', cell: ({ label }) => label || <span class="muted">none</span> },
  { label: 'Kind', cell: ({ kind }) => kind },
  {
    label: 'Secret',
    cell: ({ hint, username }) => (
      <span class="code">{[username, hint === null ? undefined : `…${hint}`].filter(Boolean).join(' ')}</span>
    ),
  },
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

function Actions({
  credential,
  onReveal,
  onOpen,
}: {
  readonly credential: Credential
  onReveal(): void
  onOpen(dialog: Dialog): void
}) {
  if (credential.state !== 'active') return null
  const name = credential.label === '' ? credential.id : credential.label
  const action = (kind: 'edit' | 'rotate' | 'revoke' | 'limits', label: string) => (
    <button
      type="button"
      class={`button is-quiet is-small${kind === 'revoke' ? ' is-danger' : ''}`}
      aria-label={`${label} ${name}`}
      onClick={() => onOpen({ kind, credential })}
    >
      {label}
    </button>
  )
  return (
    <>
      {credential.can_reveal && (
        <button
          type="button"
          class="button is-quiet is-small"
          aria-label={`Reveal ${name}`}
          onClick={onReveal}
        >
          Reveal
        </button>
      )}
      {action('edit', 'Edit')}
      {action('limits', 'Limits')}
      {action('rotate', 'Rotate')}
      {action('revoke', 'Revoke')}
    </>
  )
}
