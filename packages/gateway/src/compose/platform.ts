import type { SendOptions } from '@fairlead/platform-server/webhooks/send-webhook'
import type { FastifyInstance, FastifyServerFactory } from 'fastify'
import type { GatewayAddresses } from '@fairlead/gateway-core/network/gateway-addresses'
import type { ProtocolDescription } from '@fairlead/gateway-core/protocol/description'
import {
  createPlatformApi,
  type PlatformApiOptions,
} from '@fairlead/platform-server/platform-api/create-platform-api'
import type { OrganizationLimits } from '@fairlead/platform-server/records/organization-limits'
import { type Webhooks, startWebhooks } from '@fairlead/platform-server/webhooks/start-webhooks'
import { sendParserError } from '../send-client-error.ts'
import type { Configuration } from '../configuration/options.ts'
import type { Dependencies } from './dependencies.ts'
import type { Protocols } from './protocols.ts'

/** The control plane of a gateway. */
export interface Platform {
  readonly webhooks: Webhooks
  /** Creates the platform API on the server that receives its requests. */
  createApi(serverFactory: FastifyServerFactory): Promise<FastifyInstance>
  /** Applies the options that can change while the gateway runs. */
  reconfigure(configuration: Configuration): void
}

/** Inputs of the control plane in addition to the dependencies of protocols. */
export interface PlatformParts {
  readonly descriptions: readonly ProtocolDescription[]
  readonly protocols: Protocols
  readonly oidc: PlatformApiOptions['oidc']
  /** Requests a probe of a node's methods. */
  readonly probe: (nodeId: string) => void
}

/** Starts webhooks, and prepares the platform API. */
export function openPlatform(
  configuration: Configuration,
  { store, log, gatewayAddresses, memory, metering, accessControl }: Dependencies,
  { descriptions, protocols, oidc, probe }: PlatformParts,
): Platform {
  const send: SendOptions = { ...webhookSettingsOf(configuration), gateway: gatewayAddresses }
  const nodes = {
    ...nodeSettingsOf(configuration, gatewayAddresses),
    upstreamStates: protocols.nodeUpstreamStates,
    probe,
  }
  const organizationLimits = organizationLimitsOf(configuration)
  const webhooks = startWebhooks({ store, log, send, upstreams: () => protocols.upstreamStates() })
  return {
    webhooks,
    createApi: (serverFactory) =>
      createPlatformApi({
        store,
        log,
        memory,
        protocols: descriptions,
        webhooks: { send, wake: webhooks.wake },
        nodes,
        organizationLimits,
        publicUrl: configuration.publicUrl,
        units: metering.units,
        requireHttps: configuration.requireHttps,
        trustProxy: accessControl.trustsProxy,
        failedAttempts: accessControl.failedAttempts,
        oidc,
        clientErrorHandler: sendParserError,
        serverFactory,
      }),
    reconfigure: (next) => {
      const { nodeDomain, privateUpstreams } = next
      Object.assign(nodes, { nodeDomain, privateUpstreams })
      Object.assign(organizationLimits, organizationLimitsOf(next))
      Object.assign(send, webhookSettingsOf(next))
    },
  }
}

function webhookSettingsOf({ privateWebhookTargets }: Configuration) {
  return { isPrivateAllowed: privateWebhookTargets }
}

function organizationLimitsOf(configuration: Configuration): OrganizationLimits {
  const {
    maxMembersPerOrganization,
    maxApiKeysPerOrganization,
    maxProjectsPerOrganization,
    maxNodesPerOrganization,
  } = configuration
  const {
    maxCredentialsPerOrganization,
    maxCredentialsPerNode,
    maxWebhooksPerOrganization,
    maxNewCredentialsPerMinute,
  } = configuration
  return {
    maxMembersPerOrganization,
    maxApiKeysPerOrganization,
    maxProjectsPerOrganization,
    maxNodesPerOrganization,
    maxCredentialsPerOrganization,
    maxCredentialsPerNode,
    maxWebhooksPerOrganization,
    maxNewCredentialsPerMinute,
  }
}

function nodeSettingsOf(configuration: Configuration, gatewayAddresses: GatewayAddresses) {
  const { nodeDomain, revealCredentials, privateUpstreams } = configuration
  return { nodeDomain, revealCredentials, privateUpstreams, gatewayUrls: gatewayAddresses.urls }
}
