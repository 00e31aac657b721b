import { jetton } from '@fairlead/gateway-jetton/description'
import { jettonFormat } from '@fairlead/gateway-jetton/http/jetton-format'
import { createJettonHandler } from '@fairlead/gateway-jetton/http/jetton-http'
import { createJettonUpstreams } from '@fairlead/gateway-jetton/upstream/jetton-upstreams'
import type { Configuration } from '../configuration/options.ts'
import {
  applyHttpOptions,
  type ProtocolDependencies,
  restUpstreams,
  type RunningProtocol,
} from './running-protocol.ts'

/** Opens the API of jetton chains. */
export function openJetton(
  configuration: Configuration,
  dependencies: ProtocolDependencies,
): RunningProtocol {
  const { embedded, memory, http } = dependencies
  const jettonUpstreams = createJettonUpstreams({
    open: restUpstreams(configuration, dependencies, jettonFormat),
    embedded: embedded['jetton'],
    memory,
  })
  const { maxBodyBytes } = configuration
  const ofHttp = { ...http, jettonUpstreams, maxBodyBytes }
  return {
    description: jetton,
    handle: createJettonHandler(ofHttp),
    apply: (next) => applyHttpOptions(ofHttp, next),
    embeddedAnswer: (signal) => jettonUpstreams.embeddedAnswer(signal),
    stop: () => Promise.resolve(),
    close: () => jettonUpstreams.close(),
  }
}
