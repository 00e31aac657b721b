import { staleGrants } from '@fairlead/gateway-core/authentication/directory'
import {
  applyCommonSettings,
  type ProtocolRuntime,
  type ProtocolSettings,
} from '@fairlead/gateway-core/protocol/module'
import { createRestUpstream } from '@fairlead/gateway-core/rest/rest-upstream'
import { checkUpstream } from './check-upstream.ts'
import { beacon } from './description.ts'
import { createEventMetrics } from './events/metrics.ts'
import { createEventMultiplexers } from './events/multiplexers.ts'
import { beaconFormat } from './http/beacon-format.ts'
import { createBeaconHandler } from './http/beacon-http.ts'
import type { beaconOptions } from './options.ts'
import { createBeaconUpstreams } from './upstream/beacon-upstreams.ts'

export const runtime: ProtocolRuntime<ProtocolSettings<typeof beaconOptions>> = {
  open: ({ http, directory, memory, metrics, embedded, upstreamRules, loops, fingerprint }, settings) => {
    const { upstreamTimeoutMs, maxBeaconBodyBytes } = settings
    const beaconUpstreams = createBeaconUpstreams({
      open: (url) =>
        createRestUpstream(url, upstreamTimeoutMs, beaconFormat, upstreamRules.of(url), loops.entry),
      embedded: embedded['beacon'],
      timeoutMs: upstreamTimeoutMs,
      maxCacheBytes: settings.cacheBytes,
      fingerprint,
      isStale: staleGrants(directory),
      log: http.log,
    })
    const eventMultiplexers = createEventMultiplexers({
      upstreams: beaconUpstreams,
      directory,
      admission: http.admission,
      maxBufferBytes: settings.maxWebSocketBufferBytes,
      memory,
      metrics: createEventMetrics(metrics, () => eventMultiplexers.upstreamStreams()),
      meter: http.meter,
    })
    const dependencies = { ...http, beaconUpstreams, eventMultiplexers, maxBeaconBodyBytes }
    return {
      description: beacon,
      handle: createBeaconHandler(dependencies),
      ready: (signal) => beaconUpstreams.checkEmbedded(signal),
      upstreamStates: () => beaconUpstreams.states(),
      nodeUpstreamStates: (grant) => beaconUpstreams.statesOf(grant),
      reconfigure: (next) => applyCommonSettings(dependencies, next),
      drain: () => {
        eventMultiplexers.close()
        return Promise.resolve()
      },
      close: async () => {
        eventMultiplexers.close()
        await beaconUpstreams.close()
      },
    }
  },
  checkUpstream,
}
