import { SubscribeRequest } from '@fairlead/grpc/geyser'
import { batchOf, ethCall, grpcMessage, rpcCall, unknownToken } from '../attacker/calls.ts'
import type { AttackTarget } from '../attacker/target.ts'
import type { Protocol } from './combination.ts'

/** What a request is for. */
export type RequestKind = 'message' | 'item' | 'subscription'

/** A request of a protocol, independent of how it is sent. Over a WebSocket, only the body is sent. */
export interface ApplicationRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly fields: Readonly<Record<string, string>>
  /** Undefined for a request without a body. */
  readonly body: Buffer | undefined
}

/** Secrets that a request may use. */
export interface Secrets {
  readonly token: string
  readonly xToken: string
  readonly apiKey: string
}

const itemCount = 20_000
const json = { 'content-type': 'application/json' }

/** Returns the secrets with a number: those of the organization in turn, or ones that do not exist. */
export function secretsOf(target: AttackTarget, number: number, exist: boolean): Secrets {
  if (!exist) {
    const unknown = unknownToken(number)
    return { token: unknown, xToken: unknown, apiKey: `fl_${unknown}` }
  }
  const { tokens, xTokens, apiKey } = target
  return {
    token: tokens[number % tokens.length] ?? '',
    xToken: xTokens[number % xTokens.length] ?? '',
    apiKey,
  }
}

/** Requests by protocol; the number makes each one different from the others. */
export const applications: Readonly<
  Record<
    Protocol,
    (kind: RequestKind, secrets: Secrets, target: AttackTarget, number: number) => ApplicationRequest
  >
> = {
  http1: jsonRpc,
  http2: jsonRpc,
  websocket: (kind, { token }, _, number) => ({
    method: 'GET',
    path: `/ws/${token}`,
    fields: {},
    body: kind === 'subscription' ? rpcCall('eth_subscribe', ['logs', {}]) : rpcBody(kind, number),
  }),
  grpc: (kind, secrets) => grpcRequest(kind, secrets, { 'content-type': 'application/grpc', te: 'trailers' }),
  'grpc-web': (kind, secrets) =>
    grpcRequest(kind, secrets, { 'content-type': 'application/grpc-web+proto', 'x-grpc-web': '1' }),
  sse: (kind, { token }) => ({
    method: 'GET',
    path: `/beacon/${token}/eth/v1/events?topics=head${kind === 'item' ? '&topics=block'.repeat(500) : ''}`,
    fields: { accept: 'text/event-stream' },
    body: undefined,
  }),
  // Both bodies violate the contract, so that no attack fills the database.
  platform: (kind, { apiKey }) => ({
    method: 'POST',
    path: kind === 'item' ? '/v1/api-keys/' : '/v2/projects/',
    fields: { ...json, authorization: `Bearer ${apiKey}` },
    body:
      kind === 'item'
        ? Buffer.from(JSON.stringify({ scopes: Array.from({ length: itemCount }, (_, at) => `scope-${at}`) }))
        : Buffer.from('{"name":1}'),
  }),
  console: (_kind, _secrets, { consoleFile: path }) => ({ method: 'GET', path, fields: {}, body: undefined }),
}

function jsonRpc(kind: RequestKind, { token }: Secrets, _: AttackTarget, number: number): ApplicationRequest {
  const body = kind === 'subscription' ? rpcCall('eth_newFilter', [{}]) : rpcBody(kind, number)
  return { method: 'POST', path: `/${token}`, fields: json, body }
}

function rpcBody(kind: 'message' | 'item', number: number): Buffer {
  return kind === 'item' ? batchOf('{"id":1}', itemCount) : ethCall(number)
}

function grpcRequest(
  kind: RequestKind,
  { xToken }: Secrets,
  fields: Readonly<Record<string, string>>,
): ApplicationRequest {
  const accounts = Array.from(
    { length: kind === 'item' ? itemCount : 0 },
    (_, at) => [`filter-${at}`, {}] as const,
  )
  const message = SubscribeRequest.fromPartial({ accounts: Object.fromEntries(accounts) })
  return {
    method: 'POST',
    path: kind === 'message' ? '/geyser.Geyser/GetSlot' : '/geyser.Geyser/Subscribe',
    fields: { ...fields, 'x-token': xToken },
    body: grpcMessage(Buffer.from(SubscribeRequest.encode(message).finish())),
  }
}
