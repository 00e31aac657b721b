import type { components } from '@fairlead/platform-client'
import { AreaField } from '../../form/fields.tsx'
import { text } from '../../form/values.ts'

type Upstreams = components['schemas']['NodeUpstreams']

/** A protocol of an upstream. */
export type UpstreamProtocol = keyof Upstreams

const labels: Readonly<Record<UpstreamProtocol, string>> = {
  evm: 'EVM JSON-RPC',
  websocket: 'EVM over WebSocket',
  beacon: 'Beacon node API',
  jetton: 'TON API v2',
  jetton_v3: 'TON API v3',
  grpc: 'gRPC',
}

const examples: Readonly<Record<UpstreamProtocol, string>> = {
  evm: 'https://a.example/key#weight=3',
  websocket: 'wss://a.example/key',
  beacon: 'https://beacon.example',
  jetton: 'https://node.example/api/v2',
  jetton_v3: 'https://index.example/api/v3',
  grpc: 'https://grpc.example',
}

const upstreamProtocols = Object.keys(labels).filter((name): name is UpstreamProtocol => name in labels)

/**
 * Protocols that upstreams of a node can have when the node offers the given protocols.
 *
 * @param protocols - of the node, as the platform API names them
 */
export function upstreamProtocolsOf(protocols: readonly string[]): readonly UpstreamProtocol[] {
  return upstreamProtocols.filter((name) => {
    if (name === 'websocket') return protocols.includes('evm')
    return protocols.includes(name === 'jetton_v3' ? 'jetton' : name)
  })
}

/** The URLs of the upstreams of a node. */
export function UpstreamFields({ protocols }: { readonly protocols: readonly UpstreamProtocol[] }) {
  return (
    <>
      {protocols.map((protocol) => (
        <AreaField
          key={protocol}
          name={`upstreams.${protocol}`}
          label={`${labels[protocol]} upstreams`}
          placeholder={examples[protocol]}
          hint="One or more URLs, separated by spaces or line breaks. Stored encrypted."
        />
      ))}
    </>
  )
}

/** The entered URLs, or undefined when there are none. */
export function upstreamsOf(values: FormData): Upstreams | undefined {
  const entries = upstreamProtocols
    .map((protocol) => [protocol, text(values, `upstreams.${protocol}`).replaceAll(/\s+/g, ' ')] as const)
    .filter(([, addresses]) => addresses !== '')
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}
