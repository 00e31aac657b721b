import type { Transport } from '../transport.ts'

/** Where a stream gets its data: a client, or a transport itself. */
export type StreamSource = Transport | { readonly transport: Transport }

export function transportOf(source: StreamSource): Transport {
  return 'transport' in source ? source.transport : source
}
