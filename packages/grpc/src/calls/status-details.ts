import { FairleadError } from '@fairlead/core'
import { Status as RpcStatus } from '../generated/google/rpc/status.ts'

/** What a server says about a failed call beyond code and text; `value` is a message of the type that `typeUrl` names. */
export type GrpcStatusDetails = RpcStatus

/**
 * Reads the rich form of an error, which some servers (those of Sui among them) send beside the status.
 *
 * @param error - anything that was thrown
 * @returns code, text and details; undefined for another error, or one without a rich form
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
  const bytes = error.context.metadata?.['grpc-status-details-bin']
  if (!(bytes instanceof Uint8Array) || bytes.length === 0) return undefined
  try {
    return RpcStatus.decode(bytes)
  } catch {
    return undefined
  }
}
