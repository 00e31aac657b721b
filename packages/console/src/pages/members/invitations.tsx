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
import { chosen, text } from '../../form/values.ts'
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
          aria-label={`Take back the invitation of ${invitation.email}`}
          onClick={() => setDeleted(invitation)}
        >
          Take back
        </button>
      ),
    },
  ]
  return (
    <Card
      title="Invitations"
      description="An invitation is an address to send to somebody. It works once, for seven days."
      actions={
        <button type="button" class="button is-primary is-small" onClick={() => setIsInviting(true)}>
          Invite somebody
        </button>
      }
      flush
    >
      <QueryView query={invitations} lines={2}>
        {(list) =>
          list.count === 0 ? (
            <EmptyState icon="member" title="Nobody is invited">
              Invite the people you work with and choose what they may do.
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
          title="Invite somebody"
          submit="Create invitation"
          onClose={() => setIsInviting(false)}
          create={async (values) => {
            const body = { email: text(values, 'email'), role: chosen(values, 'role', invitedRoles) }
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
          secrets={[{ label: 'Address', value: created.url }]}
          onClose={() => setCreated(undefined)}
        >
          <p>Send this address to {created.email}. Whoever opens it joins; it is not shown again.</p>
        </SecretDialog>
      )}
      {deleted && (
        <ConfirmDialog
          title="Take the invitation back?"
          submit="Take back"
          done="Invitation taken back"
          confirm={() => {
            const params = { path: { id: deleted.id } }
            return bodyOf(platform.DELETE('/v1/organization/invitations/{id}/', { params }))
          }}
          onDone={invitations.reload}
          onClose={() => setDeleted(undefined)}
        >
          {`The address that ${deleted.email} was given stops working.`}
        </ConfirmDialog>
      )}
    </Card>
  )
}
