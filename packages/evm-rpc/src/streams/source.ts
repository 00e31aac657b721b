import type { Transport } from '../transport.ts'

/** Data source of a stream: a client, or a transport itself. */
export type StreamSource = Transport | { readonly transport: Transport }

export function transportOf(source: StreamSource): Transport {
  return 'transport' in source ? source.transport : source
}
