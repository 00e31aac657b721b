import { FairleadError } from '@fairlead/core'
import { parseUpstreamUrl } from '@fairlead/gateway-grpc/upstream/parse-url'
import { readJwtSecret } from '@fairlead/gateway-evm/upstream/upstream-jwt'
import { parseUpstreams, type UpstreamRecord } from '@fairlead/gateway-core/grants/parse-upstreams'
import type { Configuration } from './options.ts'

/**
 * The upstream addresses of the node that the configuration describes, by protocol.
 *
 * @param configuration - parsed configuration
 * @returns at least one; several upstreams stand in one text, as `parseUpstreams` reads it
 * @throws FairleadError `CONFIG_INVALID` when there is none, one that is no address, or one with a JWT secret that cannot
 * be used; the message holds neither
 */
export function configuredUpstreams(configuration: Configuration): Readonly<Record<string, string>> {
  const {
    evmUpstream,
    evmWebSocketUpstream,
    beaconUpstream,
    jettonUpstream,
    jettonV3Upstream,
    grpcUpstream,
  } = configuration
  const ofProtocols = [evmUpstream, beaconUpstream, jettonUpstream, grpcUpstream]
  if (ofProtocols.every((address) => address === undefined)) {
    throw new FairleadError('CONFIG_INVALID', {
      option:
        'FAIRLEAD_EVM_UPSTREAM, FAIRLEAD_BEACON_UPSTREAM, FAIRLEAD_JETTON_UPSTREAM or FAIRLEAD_GRPC_UPSTREAM',
      rule: 'must be the address of a node; `fairlead dev` needs none',
    })
  }
  if (evmUpstream === undefined && evmWebSocketUpstream !== undefined) {
    throw new FairleadError('CONFIG_INVALID', {
      option: 'FAIRLEAD_EVM_WEBSOCKET_UPSTREAM',
      rule: 'needs FAIRLEAD_EVM_UPSTREAM, the HTTP address of the same node',
    })
  }
  if (jettonUpstream === undefined && jettonV3Upstream !== undefined) {
    throw new FairleadError('CONFIG_INVALID', {
      option: 'FAIRLEAD_JETTON_V3_UPSTREAM',
      rule: 'needs FAIRLEAD_JETTON_UPSTREAM, the address of a node of the same chain',
    })
  }
  checkAddresses('FAIRLEAD_EVM_UPSTREAM', evmUpstream)
  checkAddresses('FAIRLEAD_EVM_WEBSOCKET_UPSTREAM', evmWebSocketUpstream)
  checkAddresses('FAIRLEAD_BEACON_UPSTREAM', beaconUpstream)
  checkAddresses('FAIRLEAD_JETTON_UPSTREAM', jettonUpstream)
  checkAddresses('FAIRLEAD_JETTON_V3_UPSTREAM', jettonV3Upstream)
  checkGrpcAddress(grpcUpstream)
  return {
    ...(evmUpstream !== undefined && { evm: evmUpstream.trim() }),
    ...(evmWebSocketUpstream !== undefined && { websocket: evmWebSocketUpstream.trim() }),
    ...(beaconUpstream !== undefined && { beacon: beaconUpstream.trim() }),
    ...(jettonUpstream !== undefined && { jetton: jettonUpstream }),
    ...(jettonV3Upstream !== undefined && { 'jetton-v3': jettonV3Upstream }),
    ...(grpcUpstream !== undefined && { grpc: grpcUpstream }),
  }
}

/** The upstream addresses that the operator has configured, of all protocols. */
export function configuredAddresses(configuration: Configuration): ReadonlySet<string> {
  const texts = [
    configuration.evmUpstream,
    configuration.evmWebSocketUpstream,
    configuration.beaconUpstream,
    configuration.jettonUpstream,
    configuration.jettonV3Upstream,
    configuration.grpcUpstream,
  ]
  return new Set(texts.flatMap((text) => parseUpstreams(text ?? '')).map(({ address }) => address))
}

function checkAddresses(option: string, text = ''): void {
  for (const record of parseUpstreams(text, option)) {
    if (!URL.canParse(record.address)) {
      throw new FairleadError('CONFIG_INVALID', { option, rule: 'must be the address of a node' })
    }
    checkJwt(option, record)
  }
}

const optionsWithJwt: ReadonlySet<string> = new Set([
  'FAIRLEAD_EVM_UPSTREAM',
  'FAIRLEAD_EVM_WEBSOCKET_UPSTREAM',
])

function checkJwt(option: string, { jwtSecretFile }: UpstreamRecord): void {
  if (jwtSecretFile === undefined) return
  if (!optionsWithJwt.has(option)) {
    throw new FairleadError('CONFIG_INVALID', { option, rule: 'must have no jwt, which only EVM nodes take' })
  }
  readJwtSecret(jwtSecretFile, option)
}

function checkGrpcAddress(text: string | undefined): void {
  const option = 'FAIRLEAD_GRPC_UPSTREAM'
  for (const record of parseUpstreams(text ?? '', option)) {
    if (!parseUpstreamUrl(record.address)) {
      throw new FairleadError('CONFIG_INVALID', {
        option,
        rule: 'must be the address of a node, with user information of the form x-token:SECRET or none',
      })
    }
    checkJwt(option, record)
  }
}
