import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import type { WebSocket } from 'ws'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import type { Requester } from '@fairlead/gateway-core/admission/types'
import type { SocketShare } from './credential-sockets.ts'
import type { RequestOrigin, RequestServices } from '@fairlead/gateway-core/http/request-context'
import type { CorkedSocket } from '@fairlead/gateway-core/websocket/corked-sockets'
import type { Deadlines } from '@fairlead/gateway-core/http/deadlines'
import type { RpcEndpoint } from '../http/rpc-routes.ts'
import type { SessionMemory } from './session-memory.ts'
import type { WebSocketDependencies } from './dependencies.ts'

/** Dependencies and properties of one connection. */
export interface SessionOptions {
  readonly dependencies: WebSocketDependencies
  readonly webSocket: WebSocket
  /** The TCP or TLS connection of the WebSocket. */
  readonly socket: Duplex
  /** The same connection with write batching. */
  readonly corked: CorkedSocket
  /** Shared by the calls of all connections. */
  readonly deadlines: Deadlines
  readonly grant: Grant
  /** Counts what the connection holds. */
  readonly memory: SessionMemory
  /** Its share of the credential's usage. */
  readonly share: SocketShare
  /** Requester that opened the connection, for rules that change while it is open. */
  readonly requester: Requester
  readonly endpoint: RpcEndpoint
  /** Shared by the messages of all connections. */
  readonly services: RequestServices
  /** Request id of the handshake. */
  readonly requestId: string
  /** Logger of the connection. */
  readonly log: Logger
  /** Origin of the messages. */
  readonly origin: RequestOrigin
}
