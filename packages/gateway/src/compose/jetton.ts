import type { NodeListener } from '@fairlead/gateway-core/http/dependencies'
import { jettonFormat } from '@fairlead/gateway-jetton/http/jetton-format'
import { createJettonListener } from '@fairlead/gateway-jetton/http/jetton-http'
import { createJettonUpstreams } from '@fairlead/gateway-jetton/upstream/jetton-upstreams'
import type { Configuration } from '../configuration/options.ts'
import { reserved } from '../protocols.ts'
import {
  applyHttpOptions,
  type ProtocolDependencies,
  restUpstreams,
  type RunningProtocol,
} from './running-protocol.ts'

/** The API of jetton chains. */
export interface RunningJetton extends RunningProtocol {
  readonly listener: NodeListener
}

export function openJetton(configuration: Configuration, dependencies: ProtocolDependencies): RunningJetton {
  const { embedded, memory, http } = dependencies
  const jettonUpstreams = createJettonUpstreams({
    open: restUpstreams(configuration, dependencies, jettonFormat),
    embedded: embedded['jetton'],
    memory,
  })
  const { maxBodyBytes } = configuration
  const ofHttp = { ...http, jettonUpstreams, reserved, maxBodyBytes }
  return {
    listener: createJettonListener(ofHttp),
    apply: (next) => applyHttpOptions(ofHttp, next),
    embeddedAnswer: (signal) => jettonUpstreams.embeddedAnswer(signal),
    stop: () => Promise.resolve(),
    close: () => jettonUpstreams.close(),
  }
}
