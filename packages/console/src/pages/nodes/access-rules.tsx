import type { components } from '@fairlead/platform-client'
import { useState } from 'preact/hooks'
import { Badge, StateBadge } from '../../components/badge.tsx'
import { Card, EmptyState } from '../../components/card.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { announce } from '../../components/toasts.tsx'
import { pageSize, usePaging } from '../../components/use-paging.ts'
import { ConfirmDialog, CreateDialog, EditDialog } from '../../form/edit-dialog.tsx'
import { CheckField, SelectField, TextField } from '../../form/fields.tsx'
import { selectedValue, isChecked, text } from '../../form/values.ts'
import { bodyOf, ifMatch, platform, versionOf } from '../../platform/client.ts'
import { useMay } from '../../platform/session.tsx'
import { useQuery } from '../../platform/use-query.ts'

type Rule = components['schemas']['AccessRule']

const kinds: readonly ['origin', 'ip', 'method'] = ['origin', 'ip', 'method']
const actions: readonly ['allow', 'deny'] = ['allow', 'deny']
const kindLabels: Readonly<Record<Rule['kind'], string>> = {
  origin: 'Web origin',
  ip: 'Client IP',
  method: 'Method',
}

type DialogState = { readonly kind: 'create' } | { readonly kind: 'edit' | 'delete'; readonly rule: Rule }

/** The access rules of a node, by origin, IP address range or method. */
export function AccessRules({ nodeId }: { readonly nodeId: string }) {
  const mayWrite = useMay('nodes:write')
  const paging = usePaging('rules')
  const [dialog, setDialog] = useState<DialogState>()
  const rules = useQuery(() => {
    const query = { page: paging.page, page_size: pageSize }
    return bodyOf(platform.GET('/v2/nodes/{id}/access-rules/', { params: { path: { id: nodeId }, query } }))
  }, [nodeId, paging.page])
  const columns: readonly Column<Rule>[] = [
    ...facts,
    ...(mayWrite
      ? [
          {
            label: 'Actions',
            kind: 'actions' as const,
            cell: (rule: Rule) => (
              <>
                <button
                  type="button"
                  class="button is-quiet is-small"
                  aria-label={`Edit ${rule.value}`}
                  onClick={() => setDialog({ kind: 'edit', rule })}
                >
                  Edit
                </button>
                <button
                  type="button"
                  class="button is-quiet is-small is-danger"
                  aria-label={`Delete ${rule.value}`}
                  onClick={() => setDialog({ kind: 'delete', rule })}
                >
                  Delete
                </button>
              </>
            ),
          },
        ]
      : []),
  ]
  const shared = { nodeId, onClose: () => setDialog(undefined), onDone: rules.reload }
  return (
    <Card
      title="Access rules"
      description="A request must pass the rules of every kind. Deny rules take precedence. If a kind has allow rules, all other values are denied."
      actions={
        mayWrite && (
          <button
            type="button"
            class="button is-primary is-small"
            onClick={() => setDialog({ kind: 'create' })}
          >
            New rule
          </button>
        )
      }
      flush
    >
      <QueryView query={rules} lines={3}>
        {(list) =>
          list.count === 0 ? (
            <EmptyState icon="node" title="No access rules">
              Any credential can call every method. Add a rule to restrict access.
            </EmptyState>
          ) : (
            <DataTable
              caption="Access rules of the node"
              columns={columns}
              rows={list.results}
              keyOf={({ id }) => id}
              paging={paging.of(list)}
            />
          )
        }
      </QueryView>
      {dialog?.kind === 'create' && <CreateRule {...shared} />}
      {dialog?.kind === 'edit' && <EditRule {...shared} rule={dialog.rule} />}
      {dialog?.kind === 'delete' && <DeleteRule {...shared} rule={dialog.rule} />}
    </Card>
  )
}

const facts: readonly Column<Rule>[] = [
  { label: 'Kind', cell: ({ kind }) => kindLabels[kind] },
  { label: 'Value', cell: ({ value }) => <span class="code break-anywhere">{value}</span> },
  { label: 'Action', cell: ({ action }) => <StateBadge state={action} /> },
  {
    label: 'State',
    cell: ({ active }) => (active ? <StateBadge state="active" /> : <Badge>disabled</Badge>),
  },
]

interface DialogProps {
  readonly nodeId: string
  onDone(): void
  onClose(): void
}

function Fields({ rule }: { readonly rule?: Rule }) {
  return (
    <>
      <TextField
        name="value"
        label="Value"
        value={rule?.value}
        hint="Origin or host, such as *.app.example. IP address or range, such as 192.0.2.0/24. Method or prefix, such as debug_*."
        maxLength={253}
        required
      />
      <SelectField
        name="action"
        label="Action"
        value={rule?.action}
        choices={actions.map((value) => ({ value, label: value }))}
      />
      <CheckField name="active" label="Enabled" checked={rule?.active ?? true} />
    </>
  )
}

function valuesOf(values: FormData) {
  return {
    value: text(values, 'value'),
    action: selectedValue(values, 'action', actions),
    active: isChecked(values, 'active'),
  }
}

function CreateRule({ nodeId, onDone, onClose }: DialogProps) {
  return (
    <CreateDialog
      title="New rule"
      submit="Create rule"
      onClose={onClose}
      create={async (values) => {
        const body = { kind: selectedValue(values, 'kind', kinds), ...valuesOf(values) }
        await bodyOf(
          platform.POST('/v2/nodes/{id}/access-rules/', { params: { path: { id: nodeId } }, body }),
        )
        announce('Rule created')
        onClose()
        onDone()
      }}
    >
      <SelectField
        name="kind"
        label="Kind"
        choices={kinds.map((value) => ({ value, label: kindLabels[value] }))}
      />
      <Fields />
    </CreateDialog>
  )
}

const ruleUrl = '/v2/nodes/{id}/access-rules/{rule_id}/'

function EditRule({ nodeId, rule, onDone, onClose }: DialogProps & { readonly rule: Rule }) {
  const path = { id: nodeId, rule_id: rule.id }
  return (
    <EditDialog
      title={`Edit rule: ${kindLabels[rule.kind]}`}
      load={() => versionOf(platform.GET(ruleUrl, { params: { path } }))}
      save={(values, etag) =>
        bodyOf(platform.PATCH(ruleUrl, { params: { path, header: ifMatch(etag) }, body: valuesOf(values) }))
      }
      onSaved={onDone}
      onClose={onClose}
    >
      {(current) => <Fields rule={current} />}
    </EditDialog>
  )
}

function DeleteRule({ nodeId, rule, onDone, onClose }: DialogProps & { readonly rule: Rule }) {
  const path = { id: nodeId, rule_id: rule.id }
  return (
    <ConfirmDialog
      title="Delete rule?"
      submit="Delete rule"
      done="Rule deleted"
      confirm={() => bodyOf(platform.DELETE(ruleUrl, { params: { path } }))}
      onDone={onDone}
      onClose={onClose}
    >
      {`The rule "${rule.action} ${rule.value}" no longer applies.`}
    </ConfirmDialog>
  )
}
