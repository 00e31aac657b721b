// A typical user program, compiled against the packed packages by every supported compiler.
import { createBeaconClient, type ForkChoiceNode } from '@fairlead/beacon'
import { routes as beaconRoutes } from '@fairlead/beacon/contract'
import { FairleadError, type Method, nodeAddress, type Route } from '@fairlead/core'
import { type BlockWithHashes, type BlockWithTransactions, createEvmClient } from '@fairlead/evm-rpc'
import { methods } from '@fairlead/evm-rpc/contract'
import { createGrpcClient } from '@fairlead/grpc'
import { createGrpcJsTransport } from '@fairlead/grpc/grpc-js'
import { GeyserDefinition } from '@fairlead/grpc/geyser'
import { HealthDefinition } from '@fairlead/grpc/health'
import { LedgerServiceDefinition } from '@fairlead/grpc/sui'
import { createGrpcWebClient } from '@fairlead/grpc/web'
import { v2Rpc } from '@fairlead/jetton/contract'
import { createJettonV2Client } from '@fairlead/jetton/v2'
import { createJettonV3Client, type JettonBurn } from '@fairlead/jetton/v3'
import { createPlatformClient, type Project, projects, unwrap } from '@fairlead/platform-client'
import { routes } from '@fairlead/platform-client/contract'
import { createFairlead, createNode } from '@fairlead/sdk'
import { createGrpcClient as createGrpcClientOfSdk } from '@fairlead/sdk/grpc'

const url = 'https://node.example.com'
const auth = { kind: 'token', token: 't0k3n' } as const

export async function platform(): Promise<readonly Project[]> {
  const client = createPlatformClient({ baseUrl: 'https://api.example.com', apiKey: 'k3y' })
  const found: Project[] = []
  for await (const project of projects(client, { order_by: '-name', type: 'public' })) found.push(project)
  // @ts-expect-error no such order
  await client.GET('/v2/projects/', { params: { query: { order_by: 'members' } } })
  return found
}

export async function evm(): Promise<readonly [BlockWithHashes | null, BlockWithTransactions | null]> {
  const client = createEvmClient({ url, auth, path: 'evm' })
  const hashes: BlockWithHashes | null = await client.request({
    method: 'eth_getBlockByHash',
    params: ['0x', false],
  })
  const full: BlockWithTransactions | null = await client.request({
    method: 'eth_getBlockByHash',
    params: ['0x', true],
  })
  // @ts-expect-error the flag comes second
  await client.request({ method: 'eth_getBlockByHash', params: [true, '0x'] })
  // @ts-expect-error no such method
  await client.request({ method: 'eth_mine' })
  return [hashes, full]
}

export async function rest(): Promise<readonly [ForkChoiceNode | undefined, readonly JettonBurn[], number]> {
  const beacon = await unwrap(createBeaconClient({ url, auth }).GET('/eth/v1/debug/fork_choice'))
  const query = { address: 'EQ', limit: 1, offset: 0, sort: 'desc' } as const
  const { burns } = await unwrap(
    createJettonV3Client({ url, auth }).GET('/api/v3/jetton/burns', { params: { query } }),
  )
  const param = await createJettonV2Client({ url, auth }).call({
    method: 'getConfigParam',
    params: { config_id: 15 },
  })
  return [beacon.fork_choice_nodes[0], burns, param.config_id]
}

export async function grpc(): Promise<bigint | undefined> {
  const options = { url, auth: { kind: 'x-token', token: 't0k3n' } } as const
  await createGrpcClientOfSdk(HealthDefinition, options).check({ service: '' })
  const geyser = createGrpcClient(GeyserDefinition, options)
  for await (const { updateOneof } of geyser.subscribe([{ slots: { all: {} } }])) {
    if (updateOneof?.$case === 'slot') return updateOneof.value.slot
  }
  // @ts-expect-error no such level
  await geyser.getSlot({ commitment: 7 })
  const ledger = createGrpcWebClient(LedgerServiceDefinition, { ...options, format: 'text' })
  const checkpoint: bigint | undefined = (await ledger.getServiceInfo({})).checkpointHeight
  const channel = createGrpcClient(GeyserDefinition, { transport: createGrpcJsTransport(url) })
  return checkpoint ?? (await channel.getSlot({})).slot
}

export async function facade(): Promise<string | undefined> {
  try {
    const fairlead = createFairlead({ baseUrl: 'https://api.example.com', apiKey: 'k3y', retries: 0 })
    await fairlead.node({ url, auth }).beacon.GET('/eth/v1/debug/fork_choice')
    return await createNode({ url, auth }).evm.request({ method: 'eth_blockNumber' })
  } catch (error) {
    if (FairleadError.is(error, 'RPC_ERROR')) return String(error.details.rpcCode)
    throw error
  }
}

export const contract: readonly (Route | Method)[] = [
  routes.listProjects,
  beaconRoutes.getDebugForkChoice,
  methods.eth_getBlockByHash,
  v2Rpc.methods.getConfigParam,
]

export const address: string = nodeAddress('websocket', url, auth).url
