import { Badge } from '../../components/badge.tsx'
import { Page } from '../../components/page.tsx'
import type { Operation } from '../documents/operation.ts'
import type { Reference } from '../documents/read-document.ts'
import { Markdown, MarkdownLine } from '../prose/markdown.tsx'
import { RequestCard } from '../request/request-card.tsx'
import { GrpcDetails } from './grpc-details.tsx'
import { hrefOf } from './route.ts'
import { RestDetails } from './rest-details.tsx'
import { RpcDetails } from './rpc-details.tsx'

/** The description of an operation, with a form to try it. */
export function OperationPage({
  reference,
  operation,
}: {
  readonly reference: Reference
  readonly operation: Operation
}) {
  return (
    <Page
      title={operation.name}
      description={<MarkdownLine text={operation.summary} />}
      back={{ href: hrefOf(reference.name), label: reference.title }}
    >
      <div class="operation">
        <div class="stack">
          <Marks operation={operation} />
          <Markdown text={operation.description} />
          <Details operation={operation} />
        </div>
        <div class="operation-side stack">
          <RequestCard reference={reference} operation={operation} />
        </div>
      </div>
    </Page>
  )
}

function Marks({ operation }: { readonly operation: Operation }) {
  return (
    <div class="row">
      <Badge>{operation.group}</Badge>
      {operation.isDeprecated && <Badge tone="warn">deprecated</Badge>}
      {operation.kind === 'rest' && operation.isExperimental && <Badge tone="warn">experimental</Badge>}
      {operation.kind === 'rpc' && !operation.isIdempotent && <Badge>not idempotent</Badge>}
    </div>
  )
}

function Details({ operation }: { readonly operation: Operation }) {
  if (operation.kind === 'rest') return <RestDetails operation={operation} />
  return operation.kind === 'rpc' ? (
    <RpcDetails operation={operation} />
  ) : (
    <GrpcDetails operation={operation} />
  )
}
