import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'
import type { components } from '@fairlead/platform-client'
import { Card, EmptyState } from '../components/card.tsx'
import { Page } from '../components/page.tsx'
import { QueryView } from '../components/query-view.tsx'
import { truncationHint } from '../platform/all-pages.ts'
import { allNodes } from '../platform/choices.ts'
import { useQuery } from '../platform/use-query.ts'
import { CallForm } from './call-form.tsx'
import { CredentialField } from './credential-field.tsx'
import { families, type Family, familyNames } from './families.ts'

type Node = components['schemas']['Node']

/** Calls a node with a form that is generated from its specification. */
export function Playground() {
  const nodes = useQuery(allNodes, [])
  return (
    <Page title="Playground" description="Build a request and send it to a node. Requests count as usage.">
      <QueryView query={nodes} lines={8}>
        {(loaded) => {
          const callable = loaded.rows.filter((node) => familiesOf(node).length > 0)
          return callable.length === 0 ? (
            <NoNodes />
          ) : (
            <Choice nodes={callable} hint={truncationHint(loaded)} />
          )
        }}
      </QueryView>
    </Page>
  )
}

function familiesOf({ details }: Node): readonly Family[] {
  return families.filter((family) => details[family] !== undefined)
}

function NoNodes() {
  return (
    <div class="card">
      <EmptyState
        icon="playground"
        title="No nodes to call yet"
        action={
          <a class="button is-primary" href="/console/nodes/new">
            Create a node
          </a>
        }
      >
        The playground supports EVM JSON-RPC, the Beacon node API and the TON API.
      </EmptyState>
    </div>
  )
}

function Choice({ nodes, hint }: { readonly nodes: readonly Node[]; readonly hint: string | undefined }) {
  const { query } = useLocation()
  const [nodeId, setNodeId] = useState(query['node'] ?? '')
  const [chosenFamily, setFamily] = useState<string>()
  const [token, setToken] = useState('')
  const node = nodes.find(({ id }) => id === nodeId) ?? nodes[0]
  if (!node) return null
  const supportedFamilies = familiesOf(node)
  const family = supportedFamilies.find((candidate) => candidate === chosenFamily) ?? supportedFamilies[0]
  const template = family && node.details[family]
  return (
    <div class="stack">
      <Card title="Node">
        <div class="form-columns">
          <div class="field">
            <label for="playground-node">Node</label>
            <select
              id="playground-node"
              class="input"
              aria-describedby={hint && 'playground-node-hint'}
              value={node.id}
              onChange={(event) => {
                setNodeId(event.currentTarget.value)
                setToken('')
              }}
            >
              {nodes.map(({ id, name, network }) => (
                <option key={id} value={id}>
                  {name} ({network})
                </option>
              ))}
            </select>
            {hint && (
              <span id="playground-node-hint" class="field-hint">
                {hint}
              </span>
            )}
          </div>
          <div class="field">
            <label for="playground-family">API</label>
            <select
              id="playground-family"
              class="input"
              value={family}
              onChange={(event) => setFamily(event.currentTarget.value)}
            >
              {supportedFamilies.map((option) => (
                <option key={option} value={option}>
                  {familyNames[option]}
                </option>
              ))}
            </select>
          </div>
          <CredentialField nodeId={node.id} token={token} onToken={setToken} />
        </div>
      </Card>
      {family && template !== undefined && (
        <CallForm key={family} family={family} template={template} token={token} />
      )}
    </div>
  )
}
