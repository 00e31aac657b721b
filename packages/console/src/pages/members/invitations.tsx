import type { components } from '@fairlead/platform-client'
import { useState } from 'preact/hooks'
import { Card, EmptyState } from '../../components/card.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { SecretDialog } from '../../components/secret-dialog.tsx'
import { Time } from '../../components/time.tsx'
import { pageSize, usePaging } from '../../components/use-paging.ts'
import { ConfirmDialog, CreateDialog } from '../../form/edit-dialog.tsx'
import { SelectField, TextField } from '../../form/fields.tsx'
import { selectedValue, text } from '../../form/values.ts'
import { bodyOf, platform } from '../../platform/client.ts'
import { useQuery } from '../../platform/use-query.ts'
import { invitedRoles, roleHint } from './roles.ts'

type Invitation = components['schemas']['Invitation']

/** The pending invitations. */
export function Invitations() {
  const paging = usePaging('invitations')
  const [isInviting, setIsInviting] = useState(false)
  const [created, setCreated] = useState<components['schemas']['InvitationCreated']>()
  const [deleted, setDeleted] = useState<Invitation>()
  const invitations = useQuery(() => {
    const query = { page: paging.page, page_size: pageSize }
    return bodyOf(platform.GET('/v1/organization/invitations/', { params: { query } }))
  }, [paging.page])
  const columns: readonly Column<Invitation>[] = [
    { label: 'E-mail', cell: ({ email }) => <span class="break-anywhere">{email}</span> },
    { label: 'Role', cell: ({ role }) => role },
    { label: 'Invited by', cell: ({ inviter }) => <span class="break-anywhere">{inviter.email}</span> },
    { label: 'Expires', cell: ({ expires_at: at }) => <Time at={at} /> },
    {
      label: 'Actions',
      kind: 'actions',
      cell: (invitation) => (
        <button
          type="button"
          class="button is-quiet is-small is-danger"
          aria-label={`Revoke the invitation for ${invitation.email}`}
          onClick={() => setDeleted(invitation)}
        >
          Revoke
        </button>
      ),
    },
  ]
  return (
    <Card
      title="Invitations"
      description="An invitation is a link that works once and expires after 7 days."
      actions={
        <button type="button" class="button is-primary is-small" onClick={() => setIsInviting(true)}>
          Invite member
        </button>
      }
      flush
    >
      <QueryView query={invitations} lines={2}>
        {(list) =>
          list.count === 0 ? (
            <EmptyState icon="member" title="No pending invitations">
              Invite people to the organization and choose their roles.
            </EmptyState>
          ) : (
            <DataTable
              caption="Invitations"
              columns={columns}
              rows={list.results}
              keyOf={({ id }) => id}
              paging={paging.of(list)}
            />
          )
        }
      </QueryView>
      {isInviting && (
        <CreateDialog
          title="Invite member"
          submit="Create invitation"
          onClose={() => setIsInviting(false)}
          create={async (values) => {
            const body = { email: text(values, 'email'), role: selectedValue(values, 'role', invitedRoles) }
            setCreated(await bodyOf(platform.POST('/v1/organization/invitations/', { body })))
            setIsInviting(false)
            invitations.reload()
          }}
        >
          <TextField name="email" label="E-mail" type="email" required />
          <SelectField
            name="role"
            label="Role"
            hint={roleHint}
            choices={invitedRoles.map((value) => ({ value, label: value }))}
          />
        </CreateDialog>
      )}
      {created && (
        <SecretDialog
          title={`Invitation for ${created.email}`}
          secrets={[{ label: 'Invitation link', value: created.url }]}
          onClose={() => setCreated(undefined)}
        >
          <p>Send this link to {created.email}. Anyone with the link can join. It is not shown again.</p>
        </SecretDialog>
      )}
      {deleted && (
        <ConfirmDialog
          title="Revoke invitation?"
          submit="Revoke"
          done="Invitation revoked"
          confirm={() => {
            const params = { path: { id: deleted.id } }
            return bodyOf(platform.DELETE('/v1/organization/invitations/{id}/', { params }))
          }}
          onDone={invitations.reload}
          onClose={() => setDeleted(undefined)}
        >
          {`The invitation link for ${deleted.email} stops working.`}
        </ConfirmDialog>
      )}
    </Card>
  )
}
