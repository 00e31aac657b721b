import { FairleadError, redact } from '@fairlead/core'
import { GrpcError, type Metadata, type MetadataValue, statusName } from '@fairlead/grpc-transport/wire'

/**
 * Converts the error of a call: a status becomes `GRPC_STATUS`; other errors (the reason of an abort, the error of a
 * request source) stay unchanged.
 *
 * @param operation - path of the method
 */
export function callFailure(operation: string, error: unknown, secrets: readonly string[]): unknown {
  if (!GrpcError.is(error)) return error
  const { code: status, detail, metadata } = error
  const details = { operation, status, statusName: statusName(status), detail: redact(detail, secrets) }
  // Not enumerable, so that logs of the error stay readable.
  Object.defineProperty(details, 'metadata', { value: redactMetadata(metadata, secrets) })
  return new FairleadError('GRPC_STATUS', details)
}

function redactMetadata(metadata: Metadata, secrets: readonly string[]): Metadata {
  const entries = Object.entries(metadata).map(([name, value]) => {
    const redactItem = (item: MetadataValue) => redactValue(item, secrets)
    return [
      name,
      typeof value === 'string' || value instanceof Uint8Array ? redactItem(value) : value.map(redactItem),
    ]
  })
  return Object.fromEntries(entries) as Metadata
}

// Secrets inside bytes cannot be replaced: a shorter text would break the lengths around it.
function redactValue(value: MetadataValue, secrets: readonly string[]): MetadataValue {
  if (typeof value === 'string') return redact(value, secrets)
  const text = new TextDecoder('latin1').decode(value)
  return redact(text, secrets) === text ? value : new Uint8Array()
}
