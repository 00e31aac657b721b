import type { Passage } from '@fairlead/gateway-core/access-control'
import type { Answers } from '@fairlead/gateway-evm/cache/caches'
import type { Upstreams } from '@fairlead/gateway-evm/upstream/evm-upstreams'
import type { Grpc } from '@fairlead/gateway-grpc/module'
import type { HttpPlane } from '@fairlead/gateway-core/http/dependencies'
import type { AccessPlane } from '@fairlead/gateway-evm/http/json-rpc-http'
import type { WebSocketPlane } from '@fairlead/gateway-evm/websocket/dependencies'
import { configuredGrpcRules } from './configuration/configured-grpc-rules.ts'
import type { Configuration } from './configuration/options.ts'
import type { AddressRules } from '@fairlead/gateway-core/network/network-policy'
import type { NodeService } from '@fairlead/platform-server/endpoints/dependencies'
import type { Ports } from './ports/open-ports.ts'

/** The parts of a running service that take other settings over. They read theirs for every request. */
export interface Adjustable {
  readonly planes: readonly HttpPlane[]
  readonly jsonRpc: AccessPlane
  readonly webSocket: WebSocketPlane
  readonly grpc: Pick<Grpc, 'change'>
  readonly passage: Pick<Passage, 'change'>
  readonly ports: Pick<Ports, 'change'>
  readonly upstreams: Pick<Upstreams, 'change'>
  readonly answers: Pick<Answers, 'change'>
  readonly nodes: NodeService
  /** Where webhooks may go. */
  readonly send: AddressRules
}

/** Takes over every option that a running service can; those are marked so in the table of options. */
export function applyConfiguration(next: Configuration, parts: Adjustable): void {
  const { planes, jsonRpc, webSocket, grpc, passage, ports, upstreams, answers, nodes, send } = parts
  const { nodeCorsOrigin: corsOrigin, logRequests } = next
  for (const plane of [...planes, jsonRpc, webSocket]) put(plane, { corsOrigin, logRequests })
  const { maxBatchItems, maxLogRange } = next
  for (const plane of [jsonRpc, webSocket]) put(plane, { maxBatchItems, maxLogRange })
  put(webSocket, {
    maxCalls: next.maxWebSocketCalls,
    maxSubscriptions: next.maxWebSocketSubscriptions,
    maxSocketsPerCredential: next.maxWebSocketsPerCredential,
    maxSubscriptionsPerCredential: next.maxSubscriptionsPerCredential,
    maxUnfilteredLogsPerCredential: next.maxUnfilteredLogsPerCredential,
  })
  const rules = configuredGrpcRules(next)
  grpc.change({ corsOrigin, logRequests, rules, maxOpenCalls: next.maxGrpcCalls })
  passage.change(next)
  ports.change(next)
  upstreams.change({ hedges: next.upstreamHedges })
  answers.change({ headMs: next.cacheHeadMs, upstreamLogRange: next.upstreamLogRange })
  const { nodeDomain, privateUpstreams } = next
  put(nodes, { nodeDomain, privateUpstreams })
  put(send, { isPrivateAllowed: next.privateWebhookTargets })
}

/** Only what owns the settings may change them: for all others they are read-only. */
function put<settings extends object>(into: settings, changed: Partial<settings>): void {
  Object.assign(into, changed)
}
