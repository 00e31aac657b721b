import type { components } from '@fairlead/platform-client'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'
import { Badge } from '../../components/badge.tsx'
import { Card } from '../../components/card.tsx'
import { Page } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { SecretDialog } from '../../components/secret-dialog.tsx'
import { SelectField, TextField } from '../../form/fields.tsx'
import { Form } from '../../form/form.tsx'
import { text } from '../../form/values.ts'
import { type PagedRows, truncationHint } from '../../platform/all-pages.ts'
import { allProjects } from '../../platform/choices.ts'
import { bodyOf, platform } from '../../platform/client.ts'
import { useQuery } from '../../platform/use-query.ts'
import { addressSecrets, credentialSecrets } from './credential-secrets.ts'
import { UpstreamFields, upstreamProtocolsOf, upstreamsOf } from './upstream-fields.tsx'

type Option = components['schemas']['DeploymentOption']
type Project = components['schemas']['Project']

/** Creates a node. */
export function NewNode() {
  const ready = useQuery(async () => {
    const [options, projects] = await Promise.all([
      bodyOf(platform.GET('/v2/deployment-options/')),
      allProjects(),
    ])
    return { options: options.results, projects }
  }, [])
  return (
    <Page
      title="New node"
      back={{ href: '/console/nodes', label: 'Nodes' }}
      description="Ready to serve requests immediately."
    >
      <QueryView query={ready} lines={8}>
        {({ options, projects }) => <NodeForm options={options} projects={projects} />}
      </QueryView>
    </Page>
  )
}

function NodeForm({
  options,
  projects,
}: {
  readonly options: readonly Option[]
  readonly projects: PagedRows<Project>
}) {
  const { query, route } = useLocation()
  const [optionId, setOptionId] = useState(options[0]?.id ?? '')
  const [created, setCreated] = useState<components['schemas']['NodeCreated']>()
  const option = options.find(({ id }) => id === optionId)
  return (
    <Card title="Node details">
      <Form
        submit="Create node"
        knownFields={['option', 'chain']}
        onSubmit={async (values) => {
          const network = text(values, 'network')
          const upstreams = upstreamsOf(values)
          const body = {
            project:
              projects.rows.length === 0
                ? await createProject(text(values, 'project_name'))
                : text(values, 'project'),
            name: text(values, 'name'),
            option: optionId,
            ...(network !== '' && { network }),
            ...(upstreams && { upstreams }),
          }
          setCreated(await bodyOf(platform.POST('/v2/nodes/', { body })))
        }}
      >
        <div class="form-columns">
          <TextField name="name" label="Name" maxLength={100} required />
          {projects.rows.length === 0 ? (
            <TextField
              name="project_name"
              label="New project"
              hint="You have no projects yet. This one is created with the node."
              maxLength={100}
              required
            />
          ) : (
            <SelectField
              name="project"
              label="Project"
              hint={truncationHint(projects)}
              value={query['project'] ?? ''}
              choices={projects.rows.map(({ id, name }) => ({ value: id, label: name }))}
            />
          )}
        </div>
        <Options options={options} chosen={optionId} onChoose={setOptionId} />
        {option?.upstreams_required && (
          <>
            {option.network === null && (
              <TextField name="network" label="Network" placeholder="mainnet" maxLength={64} required />
            )}
            <UpstreamFields protocols={upstreamProtocolsOf(option.protocols)} />
          </>
        )}
      </Form>
      {created && (
        <SecretDialog
          title={`${created.name} is ready`}
          secrets={[...addressSecrets(created.details), ...created.credentials.flatMap(credentialSecrets)]}
          onClose={() => route(`/console/nodes/${created.id}`)}
        >
          <p>
            Use these URLs and credentials to call the node. Copy them now and store them in a safe place.
          </p>
        </SecretDialog>
      )}
    </Card>
  )
}

async function createProject(name: string): Promise<string> {
  return (await bodyOf(platform.POST('/v2/projects/', { body: { name } }))).id
}

function Options({
  options,
  chosen,
  onChoose,
}: {
  readonly options: readonly Option[]
  readonly chosen: string
  onChoose(id: string): void
}) {
  return (
    <fieldset class="field">
      <legend>Backend</legend>
      <div class="grid-2">
        {options.map((option) => (
          <label key={option.id} class="option-card">
            <input
              type="radio"
              name="option"
              value={option.id}
              checked={option.id === chosen}
              onChange={() => onChoose(option.id)}
            />
            <span class="stack is-tight">
              <strong>
                {option.upstreams_required
                  ? `Custom upstreams: ${option.chain}`
                  : `${option.chain}, ${option.network ?? ''}`}
              </strong>
              <span class="muted small">{option.description}</span>
              <span class="row">
                {option.protocols.map((protocol) => (
                  <Badge key={protocol}>{protocol}</Badge>
                ))}
              </span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
