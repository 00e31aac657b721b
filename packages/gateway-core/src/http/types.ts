import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HeadState } from './client-address.ts'
import type { Http1ServerRequest, Http1ServerResponse } from '@fairlead/http1'

/** A request that the built-in HTTP/1.1 server has read whole. */
export type BufferedRequest<match = unknown> = Http1ServerRequest<match, HeadState>

/** A request as node:http reads it, or as the built-in HTTP/1.1 server does. */
export type HttpRequest = IncomingMessage | BufferedRequest

/** The answer to a {@link HttpRequest}. */
export type HttpResponse = ServerResponse | Http1ServerResponse
