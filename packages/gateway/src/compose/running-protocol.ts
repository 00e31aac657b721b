import type { HttpDependencies } from '@fairlead/gateway-core/http/dependencies'
import type { RoutedProtocol } from '@fairlead/gateway-core/protocol/routing'
import type { ApiFormat } from '@fairlead/gateway-core/rest/error-body'
import type { RestUpstream } from '@fairlead/gateway-core/rest/rest-call'
import { createRestUpstream } from '@fairlead/gateway-core/rest/rest-upstream'
import type { MetricsRegistry } from '@fairlead/gateway-core/telemetry/metrics-registry'
import type { Configuration } from '../configuration/options.ts'
import type { Dependencies } from './dependencies.ts'

/** What a protocol is opened with. */
export interface ProtocolDependencies extends Dependencies {
  readonly http: HttpDependencies
  readonly metrics: MetricsRegistry
}

/** A protocol of a running service. */
export interface RunningProtocol extends RoutedProtocol {
  /** Takes over the options that can change while the service runs. */
  apply(configuration: Configuration): void
  /** Rejects when there is an embedded chain that does not answer. */
  embeddedAnswer(signal: AbortSignal): Promise<void>
  /** Ends streams, and lets calls end for the given time. */
  stop(drainMs: number): Promise<void>
  /** Ends the connections to the nodes. */
  close(): Promise<void>
}

/** Takes over what every protocol reads for each request. Others than the owner of the settings may only read them. */
export function applyHttpOptions(
  into: Pick<HttpDependencies, 'corsOrigin' | 'logRequests'>,
  { nodeCorsOrigin: corsOrigin, logRequests }: Configuration,
): void {
  Object.assign(into, { corsOrigin, logRequests })
}

/** Makes what opens the connections to a REST upstream. */
export function restUpstreams(
  { upstreamTimeoutMs }: Configuration,
  { upstreamRules, loops }: Dependencies,
  format: ApiFormat,
): (address: string) => RestUpstream {
  return (address) =>
    createRestUpstream(address, upstreamTimeoutMs, format, upstreamRules.of(address), loops.entry)
}
