import { staleGrants } from '@fairlead/gateway-core/authentication/directory'
import {
  applyCommonSettings,
  type ProtocolRuntime,
  type ProtocolSettings,
} from '@fairlead/gateway-core/protocol/module'
import { createRestUpstream } from '@fairlead/gateway-core/rest/rest-upstream'
import { checkUpstream } from './check-upstream.ts'
import { jetton } from './description.ts'
import { jettonFormat } from './http/jetton-format.ts'
import { createJettonHandler } from './http/jetton-http.ts'
import type { jettonOptions } from './options.ts'
import { createJettonUpstreams } from './upstream/jetton-upstreams.ts'

export const runtime: ProtocolRuntime<ProtocolSettings<typeof jettonOptions>> = {
  open: (
    { http, directory, embedded, memory, upstreamRules, loops, fingerprint },
    { upstreamTimeoutMs, maxBodyBytes },
  ) => {
    const jettonUpstreams = createJettonUpstreams({
      open: (url) =>
        createRestUpstream(url, upstreamTimeoutMs, jettonFormat, upstreamRules.of(url), loops.entry),
      embedded: embedded['jetton'],
      timeoutMs: upstreamTimeoutMs,
      fingerprint,
      isStale: staleGrants(directory),
      log: http.log,
      memory,
    })
    const dependencies = { ...http, jettonUpstreams, maxBodyBytes }
    return {
      description: jetton,
      handle: createJettonHandler(dependencies),
      upstreamStates: () => jettonUpstreams.states(),
      nodeUpstreamStates: (grant) => jettonUpstreams.statesOf(grant),
      ready: (signal) => jettonUpstreams.checkEmbedded(signal),
      reconfigure: (settings) => applyCommonSettings(dependencies, settings),
      drain: () => Promise.resolve(),
      close: () => jettonUpstreams.close(),
    }
  },
  checkUpstream,
}
