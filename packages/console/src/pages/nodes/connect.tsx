import type { components } from '@fairlead/platform-client'
import { Badge } from '../../components/badge.tsx'
import { Card } from '../../components/card.tsx'
import { CopyValue } from '../../components/copy.tsx'
import { ExactTime } from '../../components/time.tsx'
import { addressSecrets } from './credential-secrets.ts'

/** The URLs of a node. */
export function Connect({ node }: { readonly node: components['schemas']['Node'] }) {
  const addresses = addressSecrets(node.details)
  const { https } = node.details
  return (
    <div class="stack">
      <Card
        title="Endpoints"
        description={
          <>
            Replace <code>{'{token}'}</code> with the token of a{' '}
            <a href={`/console/nodes/${node.id}/credentials`}>credential</a>.
          </>
        }
        actions={
          <a class="button is-small" href={`/console/playground?node=${node.id}`}>
            Try it
          </a>
        }
      >
        <div class="addresses">
          {addresses.map(({ label, value }) => (
            <div key={label} class="secret">
              <span class="small muted">{label}</span>
              <CopyValue label={`${label} URL`} value={value} />
            </div>
          ))}
        </div>
      </Card>
      {https !== undefined && (
        <Card title="Quick start">
          <CopyValue
            label="cURL command"
            value={`curl "${https.replace('{token}', '$TOKEN')}" -H 'content-type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'`}
          />
        </Card>
      )}
      <Card title="Details">
        <dl class="facts">
          <dt>ID</dt>
          <dd class="code">{node.id}</dd>
          <dt>Protocols</dt>
          <dd class="row">
            {node.protocols.map((protocol) => (
              <Badge key={protocol}>{protocol}</Badge>
            ))}
          </dd>
          <dt>Upstreams</dt>
          <dd>
            {node.upstreams.map(({ protocol, address }) => (
              <div key={`${protocol} ${address}`}>
                {protocol}: <span class="code">{address}</span>
              </div>
            ))}
          </dd>
          <dt>Created</dt>
          <dd>
            <ExactTime at={node.created_at} />
          </dd>
        </dl>
      </Card>
    </div>
  )
}
