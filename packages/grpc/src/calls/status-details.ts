import { FairleadError } from '@fairlead/core'
import { Status as RpcStatus } from '../generated/google/rpc/status.ts'

/** Details of a failed call in addition to code and text; `value` is a message of the type that `typeUrl` names. */
export type GrpcStatusDetails = RpcStatus

/**
 * Decodes the rich error model (`google.rpc.Status`), which some servers (including those of Sui) send with the status.
 *
 * @param error - any thrown value
 * @returns code, text and details; undefined for another error, or one without details
 * @example
 * ```ts
 * for (const { typeUrl, value } of statusDetails(error)?.details ?? []) {
 *   if (typeUrl.endsWith('/google.rpc.BadRequest')) console.error(BadRequest.decode(value))
 * }
 * ```
 * @see https://google.aip.dev/193; specs/grpc/proto/google/rpc/status.proto
 */
export function statusDetails(error: unknown): GrpcStatusDetails | undefined {
  if (!FairleadError.is(error, 'GRPC_STATUS')) return undefined
  const bytes = error.details.metadata?.['grpc-status-details-bin']
  if (!(bytes instanceof Uint8Array) || bytes.length === 0) return undefined
  try {
    return RpcStatus.decode(bytes)
  } catch {
    return undefined
  }
}
