import type { components } from '@fairlead/platform-client'
import { useState } from 'preact/hooks'
import { Badge } from '../../components/badge.tsx'
import { Card } from '../../components/card.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Page } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { Time } from '../../components/time.tsx'
import { pageSize, usePaging } from '../../components/use-paging.ts'
import { bodyOf, platform } from '../../platform/client.ts'
import { useMay, useSession } from '../../platform/session.tsx'
import { useQuery } from '../../platform/use-query.ts'
import { Invitations } from './invitations.tsx'
import { EditMember, RemoveMember, RenameOrganization } from './member-dialogs.tsx'
import { canChange } from './roles.ts'

type Member = components['schemas']['Member']
type DialogState = { readonly kind: 'edit' | 'remove'; readonly member: Member } | { readonly kind: 'rename' }

/** The members of the organization. */
export function Members() {
  const session = useSession()
  const mayWrite = useMay('members:write')
  const mayRename = useMay('org:write')
  const paging = usePaging('members')
  const [dialog, setDialog] = useState<DialogState>()
  const members = useQuery(() => {
    const query = { page: paging.page, page_size: pageSize }
    return bodyOf(platform.GET('/v1/organization/members/', { params: { query } }))
  }, [paging.page])
  const columns: readonly Column<Member>[] = [
    ...facts,
    ...(mayWrite
      ? [
          {
            label: 'Actions',
            kind: 'actions' as const,
            cell: (member: Member) =>
              canChange(session.role, member.role) && (
                <Actions member={member} isSelf={member.id === session.user.id} onOpen={setDialog} />
              ),
          },
        ]
      : []),
  ]
  const close = () => setDialog(undefined)
  return (
    <Page
      title="Members"
      description={`Members of ${session.organization.name} and their roles.`}
      actions={
        mayRename && (
          <button type="button" class="button" onClick={() => setDialog({ kind: 'rename' })}>
            Rename organization
          </button>
        )
      }
    >
      <Card title="Members" flush>
        <QueryView query={members}>
          {(list) => (
            <DataTable
              caption="Members"
              columns={columns}
              rows={list.results}
              keyOf={({ id }) => id}
              paging={paging.of(list)}
            />
          )}
        </QueryView>
      </Card>
      {mayWrite && <Invitations />}
      {dialog?.kind === 'rename' && <RenameOrganization onClose={close} />}
      {dialog?.kind === 'edit' && (
        <EditMember member={dialog.member} onSaved={members.reload} onClose={close} />
      )}
      {dialog?.kind === 'remove' && (
        <RemoveMember member={dialog.member} onRemoved={members.reload} onClose={close} />
      )}
    </Page>
  )
}

const facts: readonly Column<Member>[] = [
  {
    label: 'Name',
    cell: ({ first_name: first, last_name: last, email }) => (
      <>
        <div>{`${first} ${last}`.trim() || email}</div>
        <div class="muted small break-anywhere">{email}</div>
      </>
    ),
  },
  { label: 'Role', cell: ({ role }) => <Badge tone={role === 'owner' ? 'accent' : 'plain'}>{role}</Badge> },
  {
    label: 'State',
    cell: ({ disabled }) => (
      <Badge tone={disabled ? 'bad' : 'good'}>{disabled ? 'disabled' : 'active'}</Badge>
    ),
  },
  { label: 'Joined', cell: ({ created_at: at }) => <Time at={at} /> },
  { label: 'Last sign-in', cell: ({ last_sign_in_at: at }) => <Time at={at} /> },
]

function Actions({
  member,
  isSelf,
  onOpen,
}: {
  readonly member: Member
  readonly isSelf: boolean
  onOpen(dialog: DialogState): void
}) {
  return (
    <>
      <button
        type="button"
        class="button is-quiet is-small"
        aria-label={`Edit ${member.email}`}
        onClick={() => onOpen({ kind: 'edit', member })}
      >
        Edit
      </button>
      {!isSelf && (
        <button
          type="button"
          class="button is-quiet is-small is-danger"
          aria-label={`Remove ${member.email}`}
          onClick={() => onOpen({ kind: 'remove', member })}
        >
          Remove
        </button>
      )}
    </>
  )
}
