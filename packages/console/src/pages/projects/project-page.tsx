import type { components } from '@fairlead/platform-client'
import { useLocation, useRoute } from 'preact-iso'
import { useState } from 'preact/hooks'
import { Card, EmptyState } from '../../components/card.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { Page } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { ExactTime } from '../../components/time.tsx'
import { pageSize, usePaging } from '../../components/use-paging.ts'
import { ConfirmDialog, EditDialog } from '../../form/edit-dialog.tsx'
import { bodyOf, ifMatch, platform, versionOf } from '../../platform/client.ts'
import { useMay } from '../../platform/session.tsx'
import { useQuery } from '../../platform/use-query.ts'
import { LimitsCard } from '../limits/limits-card.tsx'
import { nodeColumns } from '../nodes/node-columns.tsx'
import { ProjectFields, projectOf } from './project-fields.tsx'

const back = { href: '/console/projects', label: 'Projects' }

/** One project: its properties, nodes and limits. */
export function ProjectPage() {
  const { params } = useRoute()
  const { id = '' } = params
  const project = useQuery(
    () => versionOf(platform.GET('/v2/projects/{id}/', { params: { path: { id } } })),
    [id],
  )
  if (!project.data) {
    return (
      <Page title="Project" back={back}>
        <QueryView query={project} lines={8}>
          {() => null}
        </QueryView>
      </Page>
    )
  }
  return <ProjectView key={id} project={project.data.value} onChange={project.reload} />
}

function ProjectView({
  project,
  onChange,
}: {
  readonly project: components['schemas']['Project']
  onChange(): void
}) {
  const { route } = useLocation()
  const mayWrite = useMay('projects:write')
  const mayCreateNodes = useMay('nodes:write')
  const [dialog, setDialog] = useState<'edit' | 'delete'>()
  const close = () => setDialog(undefined)
  const path = { id: project.id }
  const limits = {
    load: () => versionOf(platform.GET('/v2/projects/{id}/limits/', { params: { path } })),
    save: (body: components['schemas']['LimitsUpdate'], etag: string | undefined) =>
      bodyOf(platform.PUT('/v2/projects/{id}/limits/', { params: { path, header: ifMatch(etag) }, body })),
  }
  return (
    <Page
      title={project.name}
      description={project.description}
      back={back}
      actions={
        mayWrite && (
          <>
            <button type="button" class="button" onClick={() => setDialog('edit')}>
              Edit
            </button>
            <button type="button" class="button is-danger" onClick={() => setDialog('delete')}>
              Delete
            </button>
          </>
        )
      }
    >
      <Card title="Details">
        <dl class="facts">
          <dt>ID</dt>
          <dd class="code">{project.id}</dd>
          <dt>Created</dt>
          <dd>
            <ExactTime at={project.created_at} /> by {project.creator.email}
          </dd>
        </dl>
      </Card>
      <Nodes projectId={project.id} mayCreate={mayCreateNodes} />
      <LimitsCard title="Limits across all nodes" load={limits.load} save={limits.save} mayWrite={mayWrite} />
      {dialog === 'edit' && (
        <EditDialog
          title="Edit project"
          load={() => versionOf(platform.GET('/v2/projects/{id}/', { params: { path } }))}
          save={(values, etag) =>
            bodyOf(
              platform.PATCH('/v2/projects/{id}/', {
                params: { path, header: ifMatch(etag) },
                body: projectOf(values),
              }),
            )
          }
          onSaved={onChange}
          onClose={close}
        >
          {(current) => <ProjectFields project={current} />}
        </EditDialog>
      )}
      {dialog === 'delete' && (
        <ConfirmDialog
          title={`Delete ${project.name}?`}
          submit="Delete project"
          done="Project deleted"
          confirm={() => bodyOf(platform.DELETE('/v2/projects/{id}/', { params: { path } }))}
          onDone={() => route(back.href, true)}
          onClose={close}
        >
          A project that still has nodes cannot be deleted. Its usage remains in reports.
        </ConfirmDialog>
      )}
    </Page>
  )
}

function Nodes({ projectId, mayCreate }: { readonly projectId: string; readonly mayCreate: boolean }) {
  const paging = usePaging('nodes')
  const nodes = useQuery(() => {
    const query = { project: projectId, order_by: 'name', page: paging.page, page_size: pageSize } as const
    return bodyOf(platform.GET('/v2/nodes/', { params: { query } }))
  }, [projectId, paging.page])
  const create = mayCreate && (
    <a class="button" href={`/console/nodes/new?project=${projectId}`}>
      New node
    </a>
  )
  return (
    <Card title="Nodes" actions={create} flush>
      <QueryView query={nodes} lines={3}>
        {(list) =>
          list.count === 0 ? (
            <EmptyState icon="node" title="No nodes in this project">
              A node is an endpoint with its own credentials that routes to your upstreams.
            </EmptyState>
          ) : (
            <DataTable
              caption="Nodes of the project"
              columns={nodeColumns.filter(({ label }) => label !== 'Project')}
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
