import type { components } from '@fairlead/platform-client'
import { useState } from 'preact/hooks'
import { EmptyState } from '../../components/card.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Page } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { ExactTime } from '../../components/time.tsx'
import { pageSize, usePaging } from '../../components/use-paging.ts'
import { SelectField, TextField } from '../../form/fields.tsx'
import { bodyOf, platform } from '../../platform/client.ts'
import { useQuery } from '../../platform/use-query.ts'

type Entry = components['schemas']['AuditEntry']

const kinds = [
  'organization',
  'member',
  'invitation',
  'session',
  'password',
  'api_key',
  'project',
  'node',
  'credential',
  'access_rule',
  'limits',
  'webhook',
]

const columns: readonly Column<Entry>[] = [
  { label: 'Time', cell: ({ created_at: at }) => <ExactTime at={at} /> },
  {
    label: 'Actor',
    cell: ({ actor, ip, user_agent: agent }) => (
      <>
        <div class="break-anywhere">{actor.label}</div>
        <div class="muted small" title={agent ?? undefined}>
          {actor.kind}
          {ip !== null && ` from ${ip}`}
        </div>
      </>
    ),
  },
  { label: 'Action', cell: ({ action }) => <span class="code">{action}</span> },
  {
    label: 'Object',
    cell: ({ object }) => (
      <>
        {object.name !== null && <div class="break-anywhere">{object.name}</div>}
        <div class="muted small code">{object.id}</div>
      </>
    ),
  },
  { label: 'Changes', cell: ({ changes }) => <Changes changes={changes} /> },
]

function Changes({ changes }: Pick<Entry, 'changes'>) {
  const fields = Object.entries(changes)
  if (fields.length === 0) return null
  return (
    <details>
      <summary>{fields.map(([name]) => name).join(', ')}</summary>
      <ul class="small changes">
        {fields.map(([name, { before, after }]) => (
          <li key={name}>
            {name}: {textOf(before)} → {textOf(after)}
          </li>
        ))}
      </ul>
    </details>
  )
}

function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const noFilter = { kind: '', action: '', from: '', to: '' }

/** The changes, with author and time. */
export function AuditLog() {
  const paging = usePaging('entries')
  const [filter, setFilter] = useState(noFilter)
  const change = (changes: Partial<typeof noFilter>) => {
    paging.setPage(1)
    setFilter({ ...filter, ...changes })
  }
  const entries = useQuery(() => {
    const query = {
      page: paging.page,
      page_size: pageSize,
      ...(filter.kind !== '' && { object_kind: filter.kind }),
      ...(filter.action !== '' && { action: filter.action }),
      ...(filter.from !== '' && { date_from: filter.from }),
      ...(filter.to !== '' && { date_to: filter.to }),
    }
    return bodyOf(platform.GET('/v2/audit-log/', { params: { query } }))
  }, [paging.page, filter])
  return (
    <Page title="Audit log" description="All changes, newest first. Entries cannot be edited or deleted.">
      <div class="filters">
        <SelectField
          name="kind"
          label="Object"
          choices={[
            { value: '', label: 'All objects' },
            ...kinds.map((value) => ({ value, label: value.replaceAll('_', ' ') })),
          ]}
          onChange={(kind) => change({ kind })}
        />
        <TextField
          name="action"
          label="Action"
          type="search"
          placeholder="node.create"
          onInput={(action) => change({ action: action.trim() })}
        />
        <TextField name="from" label="From" type="date" onInput={(from) => change({ from })} />
        <TextField name="to" label="To" type="date" onInput={(to) => change({ to })} />
      </div>
      <div class="card">
        <QueryView query={entries} lines={10}>
          {(list) =>
            list.count === 0 ? (
              <EmptyState icon="audit" title="No matching entries">
                Change or clear the filters.
              </EmptyState>
            ) : (
              <DataTable
                caption="Audit log"
                columns={columns}
                rows={list.results}
                keyOf={({ id }) => id}
                paging={paging.of(list)}
              />
            )
          }
        </QueryView>
      </div>
    </Page>
  )
}
