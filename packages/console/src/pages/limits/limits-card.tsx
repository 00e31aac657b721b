import type { components } from '@fairlead/platform-client'
import { useState } from 'preact/hooks'
import { Card } from '../../components/card.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { Time } from '../../components/time.tsx'
import { EditDialog } from '../../form/edit-dialog.tsx'
import { AreaField, TextField } from '../../form/fields.tsx'
import { numberOrNull, text } from '../../form/values.ts'
import type { Version } from '../../platform/client.ts'
import { useQuery } from '../../platform/use-query.ts'
import { limitKinds, methodRateLines, methodRatesOf, numberLimits } from './limit-kinds.ts'

type Limits = components['schemas']['Limits']
type LimitsUpdate = components['schemas']['LimitsUpdate']

/** The limits of a credential, a node or a project, and their usage. */
export function LimitsCard({
  title,
  load,
  save,
  mayWrite,
}: {
  readonly title: string
  load(): Promise<Version<Limits>>
  save(limits: LimitsUpdate, etag: string | undefined): Promise<unknown>
  readonly mayWrite: boolean
}) {
  const limits = useQuery(load, [])
  const [isEditing, setIsEditing] = useState(false)
  const edit = mayWrite && (
    <button type="button" class="button is-small" onClick={() => setIsEditing(true)}>
      Edit limits
    </button>
  )
  return (
    <Card title={title} actions={edit}>
      <QueryView query={limits} lines={4}>
        {({ value }) => <LimitsView limits={value} />}
      </QueryView>
      {isEditing && (
        <LimitsDialog
          title={title}
          load={load}
          save={save}
          onSaved={limits.reload}
          onClose={() => setIsEditing(false)}
        />
      )}
    </Card>
  )
}

/** Edits limits. */
export function LimitsDialog({
  title,
  load,
  save,
  onSaved,
  onClose,
}: {
  readonly title: string
  load(): Promise<Version<Limits>>
  save(limits: LimitsUpdate, etag: string | undefined): Promise<unknown>
  onSaved(): void
  onClose(): void
}) {
  return (
    <EditDialog
      title={title}
      load={load}
      save={(values, etag) => save(limitsOf(values), etag)}
      onSaved={onSaved}
      onClose={onClose}
    >
      {(current) => (
        <>
          <p class="muted">Leave a field empty for no limit.</p>
          <div class="form-columns">
            {numberLimits.map((name) => (
              <TextField
                key={name}
                name={name}
                {...limitKinds[name]}
                type="number"
                min={1}
                value={current[name]}
              />
            ))}
          </div>
          <AreaField
            name="methods"
            label="Per-method rate limits"
            hint="One per line: method name, or prefix followed by *; requests per second; optional burst."
            placeholder="debug_* 2 10"
            value={methodRateLines(current.methods)}
          />
        </>
      )}
    </EditDialog>
  )
}

function limitsOf(values: FormData): LimitsUpdate {
  const numbers = Object.fromEntries(numberLimits.map((name) => [name, numberOrNull(values, name)]))
  return { ...numbers, methods: methodRatesOf(text(values, 'methods')) }
}

function LimitsView({ limits }: { readonly limits: Limits }) {
  const set = numberLimits.filter((name) => limits[name] !== null)
  const methods = methodRateLines(limits.methods)
  const { used } = limits
  return (
    <dl class="facts">
      {set.map((name) => (
        <Fact key={name} label={limitKinds[name].label} value={limits[name]?.toLocaleString() ?? ''} />
      ))}
      {methods !== '' && <Fact label="Per-method rate limits" value={methods.replaceAll('\n', ', ')} />}
      {set.length === 0 && methods === '' && <Fact label="Limits" value="No limits set" />}
      <dt>Used today</dt>
      <dd>
        {used.requests_today.toLocaleString()} requests, resets <Time at={used.requests_reset_at} />
      </dd>
      <dt>Used this month</dt>
      <dd>
        {used.units_this_month.toLocaleString()} units, resets <Time at={used.units_reset_at} />
      </dd>
    </dl>
  )
}

function Fact({ label, value }: { readonly label: string; readonly value: string }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </>
  )
}
