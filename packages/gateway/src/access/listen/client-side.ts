import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestMemo } from './client-address.ts'
import type { FrontRequest, FrontResponse } from '@fairlead/http1'
import type { NodePath } from './node-path.ts'

/** A request as node:http reads it, or as the front does. */
export type ClientRequest = IncomingMessage | FrontRequest<NodePath, RequestMemo>

/** The answer to a {@link ClientRequest}. */
export type ClientResponse = ServerResponse | FrontResponse
