import type { components } from '@fairlead/platform-client'
import { Badge } from '../../components/badge.tsx'
import { Card } from '../../components/card.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Page } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { Time } from '../../components/time.tsx'
import { announce } from '../../components/toasts.tsx'
import { pageSize, usePaging } from '../../components/use-paging.ts'
import { PasswordForm } from '../../entry/password-form.tsx'
import { bodyOf, platform } from '../../platform/client.ts'
import { asProblem } from '../../platform/problem.ts'
import { useSession } from '../../platform/session.tsx'
import { useQuery } from '../../platform/use-query.ts'
import { useState } from 'preact/hooks'

type Entry = components['schemas']['SessionEntry']

/** The account of the signed-in user. */
export function Account() {
  const { user, role, organization } = useSession()
  const [changes, setChanges] = useState(0)
  return (
    <Page title="Your account">
      <Card title="Profile">
        <dl class="facts">
          <dt>Name</dt>
          <dd>{`${user.first_name} ${user.last_name}`.trim()}</dd>
          <dt>E-mail</dt>
          <dd>{user.email}</dd>
          <dt>Role</dt>
          <dd>
            {role} in {organization.name}
          </dd>
        </dl>
      </Card>
      <Sessions key={`sessions ${changes}`} />
      <Card title="Password" description="Changing your password revokes all other sessions.">
        <div class="form-narrow">
          <PasswordForm
            key={changes}
            onChanged={() => {
              announce('Password changed. Other sessions revoked.')
              setChanges(changes + 1)
            }}
          />
        </div>
      </Card>
    </Page>
  )
}

function Sessions() {
  const paging = usePaging('sessions')
  const sessions = useQuery(() => {
    const query = { page: paging.page, page_size: pageSize }
    return bodyOf(platform.GET('/v1/sessions/', { params: { query } }))
  }, [paging.page])
  const revokeSession = async ({ id }: Entry) => {
    try {
      await bodyOf(platform.DELETE('/v1/sessions/{id}/', { params: { path: { id } } }))
      announce('Session revoked')
      sessions.reload()
    } catch (error) {
      announce(asProblem(error).message)
    }
  }
  const columns: readonly Column<Entry>[] = [
    {
      label: 'Device',
      cell: ({ user_agent: agent, ip, current }) => (
        <>
          <div class="break-anywhere">{agent}</div>
          <div class="muted small">
            {ip} {current && <Badge tone="accent">current</Badge>}
          </div>
        </>
      ),
    },
    { label: 'Signed in', cell: ({ created_at: at }) => <Time at={at} /> },
    { label: 'Last used', cell: ({ last_used_at: at }) => <Time at={at} /> },
    { label: 'Expires', cell: ({ expires_at: at }) => <Time at={at} /> },
    {
      label: 'Actions',
      kind: 'actions',
      cell: (session) =>
        !session.current && (
          <button
            type="button"
            class="button is-quiet is-small is-danger"
            aria-label={`Revoke the session from ${session.ip}`}
            onClick={() => void revokeSession(session)}
          >
            Revoke
          </button>
        ),
    },
  ]
  return (
    <Card
      title="Sessions"
      description="Devices where you are signed in. Revoke sessions you do not recognize."
      flush
    >
      <QueryView query={sessions} lines={3}>
        {(list) => (
          <DataTable
            caption="Sessions"
            columns={columns}
            rows={list.results}
            keyOf={({ id }) => id}
            paging={paging.of(list)}
          />
        )}
      </QueryView>
    </Card>
  )
}
