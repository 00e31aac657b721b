import { Badge } from '../../components/badge.tsx'
import { Card } from '../../components/card.tsx'
import type { GrpcMessage, GrpcOperation } from '../documents/operation.ts'
import { SchemaTree } from '../schema/schema-tree.tsx'

/** The request and response of a gRPC method. */
export function GrpcDetails({ operation }: { readonly operation: GrpcOperation }) {
  return (
    <>
      <div class="endpoint">
        <span class="verb">gRPC</span>
        <code class="break-anywhere">/{operation.path}</code>
      </div>
      <Message title="Request" message={operation.request} />
      <Message title="Response" message={operation.response} />
    </>
  )
}

function Message({ title, message }: { readonly title: string; readonly message: GrpcMessage }) {
  return (
    <Card title={title} actions={message.isStream && <Badge tone="accent">stream</Badge>}>
      <SchemaTree schema={message.schema} />
    </Card>
  )
}
