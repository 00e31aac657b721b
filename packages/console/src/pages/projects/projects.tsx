import type { components } from '@fairlead/platform-client'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'
import { EmptyState } from '../../components/card.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Icon } from '../../components/icon.tsx'
import { Page } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { Time } from '../../components/time.tsx'
import { announce } from '../../components/toasts.tsx'
import { pageSize, usePaging } from '../../components/use-paging.ts'
import { CreateDialog } from '../../form/edit-dialog.tsx'
import { bodyOf, platform } from '../../platform/client.ts'
import { useMay } from '../../platform/session.tsx'
import { useQuery } from '../../platform/use-query.ts'
import { ProjectFields, projectOf } from './project-fields.tsx'

type Project = components['schemas']['Project']

const columns: readonly Column<Project>[] = [
  { label: 'Name', cell: ({ id, name }) => <a href={`/console/projects/${id}`}>{name}</a> },
  {
    label: 'Description',
    cell: ({ description }) => <span class="muted">{description === '' ? 'none' : description}</span>,
  },
  { label: 'Networks', kind: 'number', cell: ({ networks }) => networks },
  { label: 'Members', kind: 'number', cell: ({ members }) => members },
  { label: 'Created', cell: ({ created_at: at }) => <Time at={at} /> },
]

/** All projects, with a form to create one. */
export function Projects() {
  const { route } = useLocation()
  const mayWrite = useMay('projects:write')
  const paging = usePaging('projects')
  const [isCreating, setIsCreating] = useState(false)
  const projects = useQuery(() => {
    const query = { order_by: 'name', page: paging.page, page_size: pageSize } as const
    return bodyOf(platform.GET('/v2/projects/', { params: { query } }))
  }, [paging.page])
  const create = mayWrite && (
    <button type="button" class="button is-primary" onClick={() => setIsCreating(true)}>
      <Icon name="plus" />
      New project
    </button>
  )
  return (
    <Page title="Projects" description="A project groups related nodes." actions={create}>
      <div class="card">
        <QueryView query={projects}>
          {(list) =>
            list.count === 0 ? (
              <EmptyState icon="project" title="No projects yet" action={create}>
                Create a project for each product or environment, then add nodes to it.
              </EmptyState>
            ) : (
              <DataTable
                caption="Projects"
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
          title="New project"
          submit="Create project"
          onClose={() => setIsCreating(false)}
          create={async (values) => {
            const project = await bodyOf(platform.POST('/v2/projects/', { body: projectOf(values) }))
            announce('Project created')
            route(`/console/projects/${project.id}`)
          }}
        >
          <ProjectFields />
        </CreateDialog>
      )}
    </Page>
  )
}
