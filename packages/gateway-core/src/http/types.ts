import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HeadState } from './client-address.ts'
import type { Http1ServerRequest, Http1ServerResponse } from '@fairlead/http1'

/** A request as node:http reads it, or as the front does. */
export type HttpRequest<match = unknown> = IncomingMessage | Http1ServerRequest<match, HeadState>

/** The answer to a {@link HttpRequest}. */
export type HttpResponse = ServerResponse | Http1ServerResponse
