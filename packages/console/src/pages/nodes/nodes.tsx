import { useState } from 'preact/hooks'
import { EmptyState } from '../../components/card.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { Icon } from '../../components/icon.tsx'
import { Page } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { pageSize, usePaging } from '../../components/use-paging.ts'
import { SelectField } from '../../form/fields.tsx'
import { truncationHint } from '../../platform/all-pages.ts'
import { allProjects } from '../../platform/choices.ts'
import { bodyOf, platform } from '../../platform/client.ts'
import { useMay } from '../../platform/session.tsx'
import { useQuery } from '../../platform/use-query.ts'
import { nodeColumns } from './node-columns.tsx'

/** All nodes, with a link to create one. */
export function Nodes() {
  const mayWrite = useMay('nodes:write')
  const paging = usePaging('nodes')
  const [project, setProject] = useState('')
  const projects = useQuery(allProjects, [])
  const nodes = useQuery(() => {
    const query = { order_by: 'name', project, page: paging.page, page_size: pageSize } as const
    return bodyOf(platform.GET('/v2/nodes/', { params: { query } }))
  }, [paging.page, project])
  const create = mayWrite && (
    <a class="button is-primary" href="/console/nodes/new">
      <Icon name="plus" />
      New node
    </a>
  )
  const choices = (projects.data?.rows ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return (
    <Page
      title="Nodes"
      description="A node is an endpoint with its own credentials that routes to your upstreams."
      actions={create}
    >
      <div class="filters">
        <SelectField
          name="project"
          label="Project"
          hint={truncationHint(projects.data)}
          choices={[{ value: '', label: 'All projects' }, ...choices]}
          onChange={(value) => {
            setProject(value)
            paging.setPage(1)
          }}
        />
      </div>
      <div class="card">
        <QueryView query={nodes}>
          {(list) =>
            list.count === 0 ? (
              <EmptyState
                icon="node"
                title={project === '' ? 'No nodes yet' : 'No nodes in this project'}
                action={create}
              >
                Create a node that uses the configured upstreams or your own.
              </EmptyState>
            ) : (
              <DataTable
                caption="Nodes"
                columns={nodeColumns}
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
