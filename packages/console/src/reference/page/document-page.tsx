import { Badge } from '../../components/badge.tsx'
import { Card } from '../../components/card.tsx'
import { Page } from '../../components/page.tsx'
import type { Operation } from '../documents/operation.ts'
import type { Group, Reference } from '../documents/read-document.ts'
import { Markdown, MarkdownLine } from '../prose/markdown.tsx'
import { SchemaList } from '../schema/schema-tree.tsx'
import { MethodBadge } from './method-badge.tsx'
import { hrefOf } from './route.ts'

/** A document: its description, and its operations. */
export function DocumentPage({ reference }: { readonly reference: Reference }) {
  const { title, version, description, groups, operations, kind } = reference
  return (
    <Page title={title} description={version === '' ? undefined : `Version ${version}`}>
      <Markdown text={description} />
      {groups.map((group) => (
        <GroupCard
          key={group.name}
          document={reference.name}
          group={group}
          operations={operations.filter((operation) => operation.group === group.name)}
        />
      ))}
      {kind === 'proto' && <Messages reference={reference} />}
    </Page>
  )
}

function GroupCard({
  document,
  group,
  operations,
}: {
  readonly document: string
  readonly group: Group
  readonly operations: readonly Operation[]
}) {
  return (
    <Card
      title={group.name}
      {...(group.description && { description: <MarkdownLine text={group.description} /> })}
      flush
    >
      <ul class="operation-list">
        {operations.map((operation) => (
          <li key={operation.id}>
            <a href={hrefOf(document, operation.id)} class="break-anywhere">
              {operation.name}
            </a>
            {operation.kind === 'rest' && (
              <span class="operation-address">
                <MethodBadge method={operation.method} /> <code class="break-anywhere">{operation.path}</code>
              </span>
            )}
            <span class="muted">
              <MarkdownLine text={operation.summary} />{' '}
              {operation.isDeprecated && <Badge tone="warn">deprecated</Badge>}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Messages({ reference: { schemas } }: { readonly reference: Reference }) {
  const parts = Object.entries(schemas).map(([name, schema]) => ({ name, schema, isRequired: false }))
  return (
    <Card title="Messages and enums">
      <SchemaList parts={parts} />
    </Card>
  )
}
