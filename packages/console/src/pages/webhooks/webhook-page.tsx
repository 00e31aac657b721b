import type { components } from '@fairlead/platform-client'
import { useLocation, useRoute } from 'preact-iso'
import { useState } from 'preact/hooks'
import { Badge } from '../../components/badge.tsx'
import { Card } from '../../components/card.tsx'
import { Page } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { announce } from '../../components/toasts.tsx'
import { ConfirmDialog, EditDialog } from '../../form/edit-dialog.tsx'
import { bodyOf, ifMatch, platform, versionOf } from '../../platform/client.ts'
import { asProblem } from '../../platform/problem.ts'
import { useMay } from '../../platform/session.tsx'
import { useQuery } from '../../platform/use-query.ts'
import { Deliveries } from './deliveries.tsx'
import { WebhookFields, webhookOf } from './webhook-fields.tsx'
import { SigningSecret } from './webhooks.tsx'

type Webhook = components['schemas']['Webhook']

const back = { href: '/console/webhooks', label: 'Webhooks' }
const webhookUrl = '/v2/webhooks/{id}/'

/** One webhook and its deliveries. */
export function WebhookPage() {
  const { params } = useRoute()
  const { id = '' } = params
  const webhook = useQuery(() => bodyOf(platform.GET(webhookUrl, { params: { path: { id } } })), [id])
  if (!webhook.data) {
    return (
      <Page title="Webhook" back={back}>
        <QueryView query={webhook} lines={8}>
          {() => null}
        </QueryView>
      </Page>
    )
  }
  return <WebhookView key={id} webhook={webhook.data} onChange={webhook.reload} />
}

type Dialog =
  | { readonly kind: 'edit' | 'delete' | 'rotate' }
  | { readonly kind: 'secret'; readonly secret: string }

function WebhookView({ webhook, onChange }: { readonly webhook: Webhook; onChange(): void }) {
  const mayWrite = useMay('webhooks:write')
  const [dialog, setDialog] = useState<Dialog>()
  const [tests, setTests] = useState(0)
  return (
    <Page
      title={webhook.url}
      back={back}
      description={webhook.description}
      actions={
        mayWrite && (
          <>
            <SendTest id={webhook.id} onTested={() => setTests(tests + 1)} />
            <button type="button" class="button" onClick={() => setDialog({ kind: 'edit' })}>
              Edit
            </button>
            <button type="button" class="button" onClick={() => setDialog({ kind: 'rotate' })}>
              Rotate secret
            </button>
            <button type="button" class="button is-danger" onClick={() => setDialog({ kind: 'delete' })}>
              Delete
            </button>
          </>
        )
      }
    >
      <Card title="Details">
        <dl class="facts">
          <dt>ID</dt>
          <dd class="code">{webhook.id}</dd>
          <dt>Events</dt>
          <dd>{webhook.events.join(', ')}</dd>
          <dt>State</dt>
          <dd>
            <Badge tone={webhook.active ? 'good' : 'plain'}>{webhook.active ? 'active' : 'disabled'}</Badge>
          </dd>
        </dl>
      </Card>
      <Deliveries key={tests} webhookId={webhook.id} />
      <Dialogs webhook={webhook} dialog={dialog} onOpen={setDialog} onChange={onChange} />
    </Page>
  )
}

function SendTest({ id, onTested }: { readonly id: string; onTested(): void }) {
  const [isSending, setIsSending] = useState(false)
  const send = async () => {
    setIsSending(true)
    try {
      const outcome = await bodyOf(platform.POST('/v2/webhooks/{id}/test/', { params: { path: { id } } }))
      announce(outcome.delivered ? 'Test event delivered' : (outcome.error ?? 'Test event not delivered'))
      onTested()
    } catch (error) {
      announce(asProblem(error).message)
    } finally {
      setIsSending(false)
    }
  }
  return (
    <button type="button" class="button" disabled={isSending} onClick={() => void send()}>
      Send test event
    </button>
  )
}

function Dialogs({
  webhook,
  dialog,
  onOpen,
  onChange,
}: {
  readonly webhook: Webhook
  readonly dialog: Dialog | undefined
  onOpen(dialog: Dialog | undefined): void
  onChange(): void
}) {
  const { route } = useLocation()
  const path = { id: webhook.id }
  const close = () => onOpen(undefined)
  if (dialog?.kind === 'edit')
    return (
      <EditDialog
        title="Edit webhook"
        load={() => versionOf(platform.GET(webhookUrl, { params: { path } }))}
        save={(values, etag) => {
          const body = webhookOf(values)
          return bodyOf(platform.PATCH(webhookUrl, { params: { path, header: ifMatch(etag) }, body }))
        }}
        onSaved={onChange}
        onClose={close}
      >
        {(current) => <WebhookFields webhook={current} />}
      </EditDialog>
    )
  if (dialog?.kind === 'delete')
    return (
      <ConfirmDialog
        title="Delete webhook?"
        submit="Delete webhook"
        done="Webhook deleted"
        confirm={() => bodyOf(platform.DELETE(webhookUrl, { params: { path } }))}
        onDone={() => route(back.href, true)}
        onClose={close}
      >
        The receiver gets no further events. Pending deliveries are canceled.
      </ConfirmDialog>
    )
  if (dialog?.kind === 'rotate')
    return (
      <ConfirmDialog
        title="Rotate signing secret?"
        submit="Rotate secret"
        done="Signing secret rotated"
        confirm={() => bodyOf(platform.POST('/v2/webhooks/{id}/rotate-secret/', { params: { path } }))}
        onDone={({ secret }) => onOpen({ kind: 'secret', secret })}
        onClose={close}
      >
        Events are signed with the new secret immediately. Update the receiver, or its signature check fails.
      </ConfirmDialog>
    )
  if (dialog?.kind === 'secret') return <SigningSecret secret={dialog.secret} onClose={close} />
  return null
}
