import { SelectField, TextField } from '../../form/fields.tsx'
import { truncationHint } from '../../platform/all-pages.ts'
import { allNodes } from '../../platform/choices.ts'
import { useMay } from '../../platform/session.tsx'
import { useQuery } from '../../platform/use-query.ts'
import { type UsageFilter, type UsageGroup, usageGroups } from './usage-filter.ts'

const groupLabels: Readonly<Record<UsageGroup, string>> = {
  node: 'Node',
  method: 'Method',
  credential: 'Credential',
}

const protocols = ['evm', 'beacon', 'jetton', 'grpc']
const granularities = { hour: 'Hourly', day: 'Daily', month: 'Monthly' } as const

/** The filter form of the report. */
export function UsageFilters({
  filter,
  onChange,
}: {
  readonly filter: UsageFilter
  onChange(filter: UsageFilter): void
}) {
  const maySeeNodes = useMay('nodes:read')
  const nodes = useQuery(async () => (maySeeNodes ? allNodes() : undefined), [])
  const day = /^\d{4}-\d{2}-\d{2}$/
  return (
    <div class="stack is-tight">
      <div class="filters">
        <TextField
          name="from"
          label="From"
          type="date"
          value={filter.from}
          max={filter.to}
          onInput={(from) => day.test(from) && onChange({ ...filter, from })}
        />
        <TextField
          name="to"
          label="To"
          type="date"
          value={filter.to}
          min={filter.from}
          onInput={(to) => day.test(to) && onChange({ ...filter, to })}
        />
        <SelectField
          name="granularity"
          label="Interval"
          value={filter.granularity}
          choices={Object.entries(granularities).map(([value, label]) => ({ value, label }))}
          onChange={(value) => onChange({ ...filter, granularity: granularityOf(value) })}
        />
        <SelectField
          name="node"
          label="Node"
          hint={truncationHint(nodes.data)}
          value={filter.nodeId}
          choices={[
            { value: '', label: 'All nodes' },
            ...(nodes.data?.rows ?? []).map(({ id, name }) => ({ value: id, label: name })),
          ]}
          onChange={(nodeId) => onChange({ ...filter, nodeId })}
        />
        <SelectField
          name="protocol"
          label="Protocol"
          value={filter.protocol}
          choices={[
            { value: '', label: 'All protocols' },
            ...protocols.map((value) => ({ value, label: value })),
          ]}
          onChange={(protocol) => onChange({ ...filter, protocol })}
        />
      </div>
      <fieldset class="field">
        <legend>Group by</legend>
        <div class="row">
          {usageGroups.map((group) => (
            <label key={group} class="choice">
              <input
                type="checkbox"
                checked={filter.groups.includes(group)}
                onChange={(event) => {
                  const isSelected = event.currentTarget.checked
                  const groups = usageGroups.filter((candidate) =>
                    candidate === group ? isSelected : filter.groups.includes(candidate),
                  )
                  onChange({ ...filter, groups })
                }}
              />
              {groupLabels[group]}
            </label>
          ))}
        </div>
      </fieldset>
    </div>
  )
}

function granularityOf(value: string): UsageFilter['granularity'] {
  return value === 'hour' || value === 'month' ? value : 'day'
}
