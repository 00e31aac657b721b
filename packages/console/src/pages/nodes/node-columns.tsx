import type { components } from '@fairlead/platform-client'
import { Badge } from '../../components/badge.tsx'
import type { Column } from '../../components/data-table.tsx'
import { Time } from '../../components/time.tsx'

/** The columns of a list of nodes. */
export const nodeColumns: readonly Column<components['schemas']['Node']>[] = [
  { label: 'Name', cell: ({ id, name }) => <a href={`/console/nodes/${id}`}>{name}</a> },
  {
    label: 'Project',
    cell: ({ project }) => <a href={`/console/projects/${project.id}`}>{project.name}</a>,
  },
  { label: 'Chain', cell: ({ chain, network }) => `${chain}, ${network}` },
  {
    label: 'Protocols',
    cell: ({ protocols }) => (
      <span class="row">
        {protocols.map((protocol) => (
          <Badge key={protocol}>{protocol}</Badge>
        ))}
      </span>
    ),
  },
  { label: 'Managed in', cell: ({ managed_by: by }) => (by === 'api' ? 'Console' : 'Configuration') },
  { label: 'Created', cell: ({ created_at: at }) => <Time at={at} /> },
]
