import { beacon } from '@fairlead/gateway-beacon/description'
import { createEventMetrics } from '@fairlead/gateway-beacon/events/metrics'
import { createEventMultiplexers } from '@fairlead/gateway-beacon/events/multiplexers'
import { beaconFormat } from '@fairlead/gateway-beacon/http/beacon-format'
import { createBeaconHandler } from '@fairlead/gateway-beacon/http/beacon-http'
import { createBeaconUpstreams } from '@fairlead/gateway-beacon/upstream/beacon-upstreams'
import type { Configuration } from '../configuration/options.ts'
import {
  applyHttpOptions,
  type ProtocolDependencies,
  restUpstreams,
  type RunningProtocol,
} from './running-protocol.ts'

/** Opens the beacon node API. */
export function openBeacon(
  configuration: Configuration,
  dependencies: ProtocolDependencies,
): RunningProtocol {
  const { embedded, directory, http, metrics } = dependencies
  const beaconUpstreams = createBeaconUpstreams({
    open: restUpstreams(configuration, dependencies, beaconFormat),
    embedded: embedded['beacon'],
    maxCacheBytes: configuration.cacheBytes,
  })
  const eventMultiplexers = createEventMultiplexers({
    nodes: beaconUpstreams,
    directory,
    maxBufferBytes: configuration.maxWebSocketBufferBytes,
    metrics: createEventMetrics(metrics, () => eventMultiplexers.upstreamStreams()),
    meter: http.meter,
  })
  const { maxBeaconBodyBytes } = configuration
  const ofHttp = { ...http, beaconUpstreams, eventMultiplexers, maxBeaconBodyBytes }
  return {
    description: beacon,
    handle: createBeaconHandler(ofHttp),
    apply: (next) => applyHttpOptions(ofHttp, next),
    embeddedAnswer: (signal) => beaconUpstreams.embeddedAnswer(signal),
    stop: () => {
      eventMultiplexers.close()
      return Promise.resolve()
    },
    close: async () => {
      eventMultiplexers.close()
      await beaconUpstreams.close()
    },
  }
}
