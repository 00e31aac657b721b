import type { components } from '@fairlead/platform-client'
import { StateBadge } from '../../components/badge.tsx'
import { Card, EmptyState } from '../../components/card.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { Time } from '../../components/time.tsx'
import { announce } from '../../components/toasts.tsx'
import { pageSize, usePaging } from '../../components/use-paging.ts'
import { bodyOf, platform } from '../../platform/client.ts'
import { asProblem } from '../../platform/problem.ts'
import { useMay } from '../../platform/session.tsx'
import { useQuery } from '../../platform/use-query.ts'

type Delivery = components['schemas']['WebhookDelivery']

const facts: readonly Column<Delivery>[] = [
  { label: 'Event', cell: ({ event }) => <span class="code">{event}</span> },
  { label: 'Created', cell: ({ created_at: at }) => <Time at={at} /> },
  { label: 'State', cell: ({ state }) => <StateBadge state={state} /> },
  { label: 'Attempts', kind: 'number', cell: ({ attempts }) => attempts },
  {
    label: 'Result',
    cell: ({ status, error, duration_ms: duration }) => (
      <>
        {status !== null && `HTTP ${status}`}
        {error !== null && <div class="muted small">{error}</div>}
        {duration !== null && <div class="muted small">{duration} ms</div>}
      </>
    ),
  },
  { label: 'Next attempt', cell: ({ next_attempt_at: at }) => <Time at={at} none="none" /> },
]

/** The deliveries to a webhook, and their results. */
export function Deliveries({ webhookId }: { readonly webhookId: string }) {
  const mayWrite = useMay('webhooks:write')
  const paging = usePaging('deliveries')
  const deliveries = useQuery(() => {
    const query = { page: paging.page, page_size: pageSize }
    return bodyOf(
      platform.GET('/v2/webhooks/{id}/deliveries/', { params: { path: { id: webhookId }, query } }),
    )
  }, [webhookId, paging.page])
  const resend = async (delivery: Delivery) => {
    try {
      const path = { id: webhookId, delivery_id: delivery.id }
      await bodyOf(platform.POST('/v2/webhooks/{id}/deliveries/{delivery_id}/resend/', { params: { path } }))
      announce('Event resent')
      deliveries.reload()
    } catch (error) {
      announce(asProblem(error).message)
    }
  }
  const columns: readonly Column<Delivery>[] = [
    ...facts,
    ...(mayWrite
      ? [
          {
            label: 'Actions',
            kind: 'actions' as const,
            cell: (delivery: Delivery) => (
              <button
                type="button"
                class="button is-quiet is-small"
                aria-label={`Resend ${delivery.event}`}
                onClick={() => void resend(delivery)}
              >
                Resend
              </button>
            ),
          },
        ]
      : []),
  ]
  return (
    <Card
      title="Deliveries"
      flush
      actions={
        <button type="button" class="button is-small" onClick={deliveries.reload}>
          Refresh
        </button>
      }
    >
      <QueryView query={deliveries} lines={4}>
        {(list) =>
          list.count === 0 ? (
            <EmptyState icon="webhook" title="No deliveries yet">
              Send a test event to check the receiver.
            </EmptyState>
          ) : (
            <DataTable
              caption="Deliveries"
              columns={columns}
              rows={list.results}
              keyOf={({ id }) => id}
              paging={paging.of(list)}
            />
          )
        }
      </QueryView>
    </Card>
  )
}
