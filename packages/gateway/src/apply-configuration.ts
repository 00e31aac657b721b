import type { AccessControl } from '@fairlead/gateway-core/access-control'
import type { ResponseCaches } from '@fairlead/gateway-evm/cache/caches'
import type { EvmUpstreams } from '@fairlead/gateway-evm/upstream/evm-upstreams'
import type { Grpc } from '@fairlead/gateway-grpc/module'
import type { HttpDependencies } from '@fairlead/gateway-core/http/dependencies'
import type { JsonRpcDependencies } from '@fairlead/gateway-evm/http/json-rpc-http'
import type { WebSocketDependencies } from '@fairlead/gateway-evm/websocket/dependencies'
import { configuredGrpcRules } from './configuration/configured-grpc-rules.ts'
import type { Configuration } from './configuration/options.ts'
import type { NetworkPolicy } from '@fairlead/gateway-core/network/network-policy'
import type { NodeService } from '@fairlead/platform-server/endpoints/dependencies'
import type { Ports } from './ports/open-ports.ts'

/** The parts of a running service that take other settings over. They read theirs for every request. */
export interface Adjustable {
  readonly planes: readonly HttpDependencies[]
  readonly jsonRpc: JsonRpcDependencies
  readonly webSocket: WebSocketDependencies
  readonly grpc: Pick<Grpc, 'change'>
  readonly accessControl: Pick<AccessControl, 'change'>
  readonly ports: Pick<Ports, 'change'>
  readonly upstreams: Pick<EvmUpstreams, 'change'>
  readonly answers: Pick<ResponseCaches, 'change'>
  readonly nodes: NodeService
  /** Where webhooks may go. */
  readonly send: NetworkPolicy
}

/** Takes over every option that a running service can; those are marked so in the table of options. */
export function applyConfiguration(next: Configuration, parts: Adjustable): void {
  const { planes, jsonRpc, webSocket, grpc, accessControl, ports, upstreams, answers, nodes, send } = parts
  const { nodeCorsOrigin: corsOrigin, logRequests } = next
  for (const dependencies of [...planes, jsonRpc, webSocket]) put(dependencies, { corsOrigin, logRequests })
  const { maxBatchItems, maxLogRange } = next
  for (const dependencies of [jsonRpc, webSocket]) put(dependencies, { maxBatchItems, maxLogRange })
  put(webSocket, {
    maxCalls: next.maxWebSocketCalls,
    maxSubscriptions: next.maxWebSocketSubscriptions,
    maxSocketsPerCredential: next.maxWebSocketsPerCredential,
    maxSubscriptionsPerCredential: next.maxSubscriptionsPerCredential,
    maxUnfilteredLogsPerCredential: next.maxUnfilteredLogsPerCredential,
  })
  const rules = configuredGrpcRules(next)
  grpc.change({ corsOrigin, logRequests, rules, maxOpenCalls: next.maxGrpcCalls })
  accessControl.change(next)
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
