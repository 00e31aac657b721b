import { WebSocket } from 'ws'
import { upstreamFields } from '@fairlead/gateway-core/network/upstream-fields'
import { targetOf } from '@fairlead/gateway-core/network/guarded-agent'
import { guardedConnect } from '@fairlead/gateway-core/network/guarded-connect'
import type { UpstreamRules } from '@fairlead/gateway-core/network/upstream-rules'
import { secretsOfUrl } from '@fairlead/gateway-core/upstream/upstream-url'
import type { UpstreamJwt } from './upstream-jwt.ts'

/** Target of a WebSocket connection. */
export interface SocketTarget {
  /** ws or wss URL; user name and password in it are sent as HTTP basic authentication. */
  readonly address: string
  /** Authenticates each handshake, in place of user information in the URL. */
  readonly jwt?: UpstreamJwt | undefined
}

/** Options of a handshake. */
export interface HandshakeOptions {
  readonly timeoutMs: number
  /** Connection rules. */
  readonly rules: UpstreamRules
  /** `CDN-Loop` entry. */
  readonly loopEntry: string | undefined
}

/** A connection that is being opened. */
export interface OpenedTarget {
  readonly socket: WebSocket
  /** Texts that errors on the connection must not contain. */
  readonly secrets: readonly string[]
}

const maxHandshakeMs = 5_000
const maxMessageBytes = 64 * 1024 * 1024

/** Opens the connection to a target. Returns undefined when its URL is invalid or its JWT secret cannot be read. */
export function openTarget(
  { address, jwt }: SocketTarget,
  { timeoutMs, rules, loopEntry }: HandshakeOptions,
): OpenedTarget | undefined {
  try {
    const url = URL.parse(address)
    const token = jwt?.current()
    const targetRules = rules.of(address)
    const isSecure = /^(?:wss|https):/i.test(address)
    const socket = new WebSocket(address, {
      handshakeTimeout: Math.min(timeoutMs, maxHandshakeMs),
      // A subscription is shared by clients, so it has neither the trace nor the path of one request.
      headers: upstreamFields({ loopEntry, authorization: token?.authorization }),
      createConnection: (options: object) =>
        guardedConnect(targetOf(options, isSecure), isSecure, targetRules),
      maxPayload: maxMessageBytes,
      perMessageDeflate: false,
    })
    return { socket, secrets: [...(token?.secrets ?? []), ...(url ? secretsOfUrl(url) : [])] }
  } catch {
    // The error contains the URL, including its credentials.
    return undefined
  }
}
