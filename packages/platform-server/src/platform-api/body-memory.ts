import type { FastifyReply, FastifyRequest } from 'fastify'
import type { MemoryLedger } from '@fairlead/gateway-core/memory/memory-ledger'
import type { Owner } from '@fairlead/runtime'
import { PlatformError } from './platform-error.ts'

/**
 * Reserves memory for the body of a request before it is read, until its response was sent.
 *
 * @param maxBytes - limit of the body, also after decoding
 * @throws {@link PlatformError} `unavailable` when the owner may not hold so much
 */
export function reserveBody(
  memory: Pick<MemoryLedger, 'reserve'>,
  owner: Owner,
  { request, reply, maxBytes }: { request: FastifyRequest; reply: FastifyReply; maxBytes: number },
): void {
  const bytes = expectedBytes(request, maxBytes)
  if (bytes === 0) return
  const reservation = memory.reserve(owner, 'request')
  if (reservation.tryTake(bytes)) throw new PlatformError('unavailable')
  reply.raw.once('close', () => reservation.release())
}

/** The stated length of a body; its limit when that is unknown. */
function expectedBytes({ headers }: FastifyRequest, maxBytes: number): number {
  const length = Number(headers['content-length'] ?? 0)
  if (headers['transfer-encoding'] === undefined && length === 0 && headers['content-type'] === undefined)
    return 0
  // Over HTTP/2, the length may be missing.
  const isStated = headers['content-encoding'] === undefined && headers['content-length'] !== undefined
  return isStated ? Math.min(length, maxBytes) : maxBytes
}
