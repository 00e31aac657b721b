import { Badge } from '../../components/badge.tsx'
import { Card } from '../../components/card.tsx'
import type { RpcOperation, Subscription } from '../documents/operation.ts'
import { CodeBlock } from '../prose/code-block.tsx'
import { MarkdownLine } from '../prose/markdown.tsx'
import { written } from '../request/rpc-request.ts'
import { SchemaList, SchemaTree } from '../schema/schema-tree.tsx'

/** The parameters and result of a JSON-RPC method. */
export function RpcDetails({ operation }: { readonly operation: RpcOperation }) {
  const { params, isByName, result, overloads, subscriptions, errors, examples } = operation
  return (
    <>
      <AvailabilityDetails operation={operation} />
      {params.length > 0 && (
        <Card
          title="Parameters"
          description={isByName ? 'By name, in an object.' : 'By position, in an array.'}
        >
          <SchemaList parts={params} />
        </Card>
      )}
      <Card title="Result" description={<MarkdownLine text={result.description} />}>
        <div class="stack">
          <SchemaTree schema={result.schema} />
          {overloads.map(({ when, schema }) => (
            <details key={JSON.stringify(when)} class="overload">
              <summary>
                {Object.keys(when).length === 0 ? (
                  'Otherwise'
                ) : (
                  <>
                    When <code class="break-anywhere">{JSON.stringify(when)}</code>
                  </>
                )}
              </summary>
              <SchemaTree schema={schema} />
            </details>
          ))}
        </div>
      </Card>
      {subscriptions.length > 0 && <Subscriptions subscriptions={subscriptions} />}
      <Card title="Examples">
        <div class="stack">
          {examples.map((example) => (
            <div key={example.title} class="stack is-tight">
              <h3>{example.title}</h3>
              <CodeBlock
                label="Parameters"
                text={JSON.stringify(written(operation, example.params), null, 2)}
              />
              <CodeBlock label="Result" text={JSON.stringify(example.result, null, 2)} />
            </div>
          ))}
        </div>
      </Card>
      <Card title="Errors">
        <ul class="errors">
          {errors.map(({ code, message }) => (
            <li key={`${code} ${message}`}>
              <code>{code}</code> {message}
            </li>
          ))}
        </ul>
      </Card>
    </>
  )
}

function AvailabilityDetails({
  operation: { transports, availability },
}: {
  readonly operation: RpcOperation
}) {
  return (
    <dl class="facts">
      <dt>Transports</dt>
      <dd>{transports.join(', ')}</dd>
      {availability.length > 0 && (
        <>
          <dt>Supported by</dt>
          <dd>
            <Availability names={availability} />
          </dd>
        </>
      )}
    </dl>
  )
}

function Availability({ names }: { readonly names: readonly string[] }) {
  return (
    <span class="row">
      {names.map((name) => (
        <Badge key={name}>{name}</Badge>
      ))}
    </span>
  )
}

function Subscriptions({ subscriptions }: { readonly subscriptions: readonly Subscription[] }) {
  return (
    <Card title="Subscription types" flush>
      {subscriptions.map(({ kind, summary, options, notification, availability }) => (
        <details key={kind} class="answer">
          <summary>
            <h3>
              <code>{kind}</code>
            </h3>
            <span>{summary}</span>
          </summary>
          <div class="stack answer-content">
            <Availability names={availability} />
            <SchemaList
              parts={[
                ...(options ? [{ name: 'options', schema: options, isRequired: false }] : []),
                { name: 'notification', schema: notification, isRequired: false },
              ]}
            />
          </div>
        </details>
      ))}
    </Card>
  )
}
