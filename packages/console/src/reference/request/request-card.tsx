import { Card } from '../../components/card.tsx'
import type { GrpcOperation, Operation } from '../documents/operation.ts'
import type { Reference } from '../documents/read-document.ts'
import { CodeBlock } from '../prose/code-block.tsx'
import { exampleOf } from '../schema/example-of.ts'
import { grpcurlOf } from './curl.ts'
import { RestTry } from './rest-try.tsx'
import { RpcTry } from './rpc-try.tsx'

/** How to call an operation, on this page and from a shell. */
export function RequestCard({
  reference,
  operation,
}: {
  readonly reference: Reference
  readonly operation: Operation
}) {
  if (operation.kind === 'rest') return <RestTry reference={reference} operation={operation} />
  if (operation.kind === 'rpc') return <RpcTry reference={reference} operation={operation} />
  return <GrpcCall reference={reference} operation={operation} />
}

function GrpcCall({
  reference,
  operation,
}: {
  readonly reference: Reference
  readonly operation: GrpcOperation
}) {
  const message = exampleOf(operation.request.schema, reference.schemas)
  return (
    <Card title="Example request">
      <div class="stack is-tight">
        <CodeBlock label="grpcurl" text={grpcurlOf(operation, message, location.origin)} />
        <p class="muted small">
          Browsers cannot send this request. The gateway supports server reflection, so no proto files are
          needed. <code>$TOKEN</code> is the token of a node credential.
        </p>
      </div>
    </Card>
  )
}
