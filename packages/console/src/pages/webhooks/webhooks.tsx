import type { components } from '@fairlead/platform-client'
import { useState } from 'preact/hooks'
import { Badge } from '../../components/badge.tsx'
import { EmptyState } from '../../components/card.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Icon } from '../../components/icon.tsx'
import { Page } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { SecretDialog } from '../../components/secret-dialog.tsx'
import { Time } from '../../components/time.tsx'
import { pageSize, usePaging } from '../../components/use-paging.ts'
import { CreateDialog } from '../../form/edit-dialog.tsx'
import { bodyOf, platform } from '../../platform/client.ts'
import { useMay } from '../../platform/session.tsx'
import { useQuery } from '../../platform/use-query.ts'
import { WebhookFields, webhookOf } from './webhook-fields.tsx'

const columns: readonly Column<components['schemas']['Webhook']>[] = [
  {
    label: 'URL',
    cell: ({ id, url, description }) => (
      <>
        <a class="break-anywhere" href={`/console/webhooks/${id}`}>
          {url}
        </a>
        {description !== '' && <div class="muted small">{description}</div>}
      </>
    ),
  },
  { label: 'Events', cell: ({ events }) => events.join(', ') },
  {
    label: 'State',
    cell: ({ active }) => <Badge tone={active ? 'good' : 'plain'}>{active ? 'active' : 'disabled'}</Badge>,
  },
  { label: 'Created', cell: ({ created_at: at }) => <Time at={at} /> },
]

/** The webhooks that receive events. */
export function Webhooks() {
  const mayWrite = useMay('webhooks:write')
  const paging = usePaging('webhooks')
  const [isCreating, setIsCreating] = useState(false)
  const [secret, setSecret] = useState<string>()
  const webhooks = useQuery(() => {
    const query = { page: paging.page, page_size: pageSize }
    return bodyOf(platform.GET('/v2/webhooks/', { params: { query } }))
  }, [paging.page])
  const create = mayWrite && (
    <button type="button" class="button is-primary" onClick={() => setIsCreating(true)}>
      <Icon name="plus" />
      New webhook
    </button>
  )
  return (
    <Page
      title="Webhooks"
      description="Send HTTP notifications when a quota is exhausted, an upstream fails or a credential is used from a new IP address."
      actions={create}
    >
      <div class="card">
        <QueryView query={webhooks} lines={3}>
          {(list) =>
            list.count === 0 ? (
              <EmptyState icon="webhook" title="No webhooks yet" action={create}>
                Add the URL of a receiver, such as a paging service.
              </EmptyState>
            ) : (
              <DataTable
                caption="Webhooks"
                columns={columns}
                rows={list.results}
                keyOf={({ id }) => id}
                paging={paging.of(list)}
              />
            )
          }
        </QueryView>
      </div>
      {isCreating && (
        <CreateDialog
          title="New webhook"
          submit="Create webhook"
          onClose={() => setIsCreating(false)}
          create={async (values) => {
            const created = await bodyOf(platform.POST('/v2/webhooks/', { body: webhookOf(values) }))
            setIsCreating(false)
            setSecret(created.secret)
            webhooks.reload()
          }}
        >
          <WebhookFields />
        </CreateDialog>
      )}
      {secret !== undefined && <SigningSecret secret={secret} onClose={() => setSecret(undefined)} />}
    </Page>
  )
}

/** Shows the secret of a webhook once. */
export function SigningSecret({ secret, onClose }: { readonly secret: string; onClose(): void }) {
  return (
    <SecretDialog
      title="Signing secret"
      secrets={[{ label: 'Signing secret', value: secret }]}
      onClose={onClose}
    >
      <p>
        The receiver uses this secret to verify the X-Signature header. Copy it now. It is not shown again.
      </p>
    </SecretDialog>
  )
}
