import { Badge } from '../../components/badge.tsx'
import { Card } from '../../components/card.tsx'
import type { Content, Parameter, Response, RestOperation } from '../documents/operation.ts'
import { CodeBlock } from '../prose/code-block.tsx'
import { Markdown, MarkdownLine } from '../prose/markdown.tsx'
import { SchemaList, SchemaTree } from '../schema/schema-tree.tsx'
import { MethodBadge } from './method-badge.tsx'

const locations = [
  ['path', 'Path'],
  ['query', 'Query'],
  ['header', 'Headers'],
] as const

/** The parameters and responses of a REST operation. */
export function RestDetails({ operation }: { readonly operation: RestOperation }) {
  const { method, path, parameters, body, responses } = operation
  return (
    <>
      <div class="endpoint">
        <MethodBadge method={method} />
        <code class="break-anywhere">{path}</code>
      </div>
      <Access operation={operation} />
      {parameters.length > 0 && <Parameters parameters={parameters} />}
      {body && (
        <Card title="Body" description={<MarkdownLine text={body.description} />}>
          {body.isRequired && <Badge tone="accent">required</Badge>}
          <Contents contents={body.contents} />
        </Card>
      )}
      <Card title="Responses" flush>
        {responses.map((response) => (
          <ResponseDetails key={response.status} response={response} />
        ))}
      </Card>
    </>
  )
}

function Access({ operation: { scopes, isPublic } }: { readonly operation: RestOperation }) {
  if (isPublic) return <p class="muted">No authentication required.</p>
  if (scopes === undefined) return <p class="muted">Requires a node credential.</p>
  return (
    <p class="muted">
      Requires an API key or a session
      {scopes.length === 0 ? '.' : ` with the ${scopes.length === 1 ? 'scope' : 'scopes'} `}
      {scopes.map((scope) => (
        <code key={scope} class="scope">
          {scope}
        </code>
      ))}
    </p>
  )
}

function Parameters({ parameters }: { readonly parameters: readonly Parameter[] }) {
  const groups = locations
    .map(([location, title]) => ({
      title,
      members: parameters.filter((parameter) => parameter.location === location),
    }))
    .filter(({ members }) => members.length > 0)
  return (
    <Card title="Parameters">
      <div class="stack">
        {groups.map(({ title, members }) => (
          <div key={title}>
            <h3>{title}</h3>
            <SchemaList parts={members} />
          </div>
        ))}
      </div>
    </Card>
  )
}

function ResponseDetails({ response }: { readonly response: Response }) {
  const { status, description, headers, contents } = response
  const isSuccess = status.startsWith('2') || status.startsWith('3')
  return (
    <details class="answer" open={isSuccess}>
      <summary>
        <h3>
          <Badge tone={isSuccess ? 'good' : 'plain'}>{status}</Badge>
        </h3>
        <span>
          <MarkdownLine text={firstSentence(description)} />
        </span>
      </summary>
      <div class="stack answer-content">
        {firstSentence(description) !== description.trim() && <Markdown text={description} />}
        {headers.length > 0 && (
          <div>
            <h4>Headers</h4>
            <SchemaList parts={headers.map((header) => ({ ...header, isRequired: false }))} />
          </div>
        )}
        <Contents contents={contents} />
      </div>
    </details>
  )
}

function firstSentence(text: string): string {
  return text.trim().split(/(?<=\.)\s/)[0] ?? ''
}

function Contents({ contents }: { readonly contents: readonly Content[] }) {
  return (
    <>
      {contents.map(({ mediaType, schema, examples }) => (
        <div key={mediaType} class="stack is-tight">
          <code class="small muted">{mediaType}</code>
          {schema ? <SchemaTree schema={schema} /> : <p class="muted">Binary data.</p>}
          {examples.map(({ title, value }) => (
            <CodeBlock key={title} label={`Example: ${title}`} text={exampleText(value)} />
          ))}
        </div>
      ))}
    </>
  )
}

function exampleText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
