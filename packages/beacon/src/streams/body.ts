import { FairleadError, longestMs, requireNumber, unwrap } from '@fairlead/core'
import type { BeaconClient } from '../client.ts'
import { openStream, type OpenStreamOptions } from './open-stream.ts'

/** A successful response whose body is a stream. */
export interface OpenBody {
  readonly response: Response
  readonly body: ReadableStream<Uint8Array>
}

/** The call to send, untyped: the public functions have the types. */
export interface BodyCall extends OpenStreamOptions {
  readonly path: string
  readonly init?: { readonly signal?: AbortSignal | undefined; readonly params?: object } | undefined
  readonly accept: string
}

/**
 * Sends a GET request and returns the response as soon as its headers have arrived.
 *
 * @throws FairleadError `HTTP_STATUS`, `TRANSPORT_*`, `DECODE_INVALID` for another media type than requested
 */
export async function openBody(
  beacon: BeaconClient,
  { path, init, accept, ...options }: BodyCall,
): Promise<OpenBody> {
  if (options.idleMs !== undefined) requireNumber('idleMs', options.idleMs, 0, longestMs)
  let response: Response | undefined
  const call = {
    ...init,
    parseAs: 'stream',
    headers: { accept },
    fetch: async (request: Request) =>
      (response = await beacon.transport.fetch(request, openStream(options))),
  }
  const body = (await unwrap(beacon.GET(path as never, call as never))) as ReadableStream<Uint8Array> | null
  const type = response?.headers.get('content-type') ?? ''
  if (body && response && type.startsWith(accept)) return { response, body }
  await body?.cancel()
  throw new FairleadError('DECODE_INVALID', {
    operation: `GET ${path}`,
    path: 'content-type',
    rule: `must be ${accept}`,
  })
}
