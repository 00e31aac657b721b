// Behavior that must work in every runtime. The program uses only APIs that the packages support.
import { createBeaconClient, events, getSsz, unwrap } from '@fairlead/beacon'
import { createEvmClient, FairleadError, subscribe, webSocket } from '@fairlead/evm-rpc'
import {
  eth_blockNumber,
  eth_chainId,
  eth_getBlockByNumber,
  eth_sendRawTransaction,
} from '@fairlead/evm-rpc/actions'
import { CommitmentLevel, GeyserDefinition, type SubscribeUpdateBlockMeta } from '@fairlead/grpc/geyser'
import { subscribeGeyser } from '@fairlead/grpc/solana'
import { createGrpcWebClient } from '@fairlead/grpc/web'
import { createJettonV2Client } from '@fairlead/jetton/v2'
import { createJettonV3Client } from '@fairlead/jetton/v3'

/** A URL and its credential. */
interface NodeAccess {
  readonly url: string
  readonly token: string
}

/** The input of the program. */
export interface Task extends NodeAccess {
  readonly beacon: NodeAccess
  readonly jetton: NodeAccess
  readonly solana: NodeAccess
  /** Signed, but not sent yet. The program sends it and waits for its block. */
  readonly transaction: string
}

/** The observations of the program. */
export interface Report {
  readonly chainId: string
  readonly parent: string | undefined
  readonly rejection: string
  /** Whether the pushed head is the next block after the one before the transaction. */
  readonly isNotified: boolean
  readonly beacon: BeaconReport
  readonly jetton: JettonReport
  readonly solana: SolanaReport
}

/** The observations of the program on the beacon chain. */
interface BeaconReport {
  /** Fork of the finalized block, from a header of the SSZ response. */
  readonly version: string | undefined
  /** Whether the SSZ block has the slot that its JSON header names. */
  readonly agrees: boolean
  /** Whether the pushed head differs from the previous one. */
  readonly isNotified: boolean
}

/** The observations of the program on the jetton chain. */
interface JettonReport {
  /** Whether the REST path and JSON-RPC return the same configuration parameter. */
  readonly agrees: boolean
  /** Amount of the first burn of its first jetton. */
  readonly burned: string | undefined
}

/** The observations of the program on the Solana chain. */
interface SolanaReport {
  /** Whether each pushed block follows the previous one, and none is older than the requested slot. */
  readonly agrees: boolean
  /** The error of a call with a wrong token. */
  readonly rejection: string
}

/** Creates a gRPC client, over HTTP/2 or gRPC-web. */
export type CreateClient = (
  gateway: typeof GeyserDefinition,
  options: { readonly url: string; readonly auth: { readonly kind: 'x-token'; readonly token: string } },
) => ReturnType<typeof createGrpcWebClient<typeof GeyserDefinition>>

/**
 * Makes successful and failing calls and receives a new head, also of the beacon chain. Calls both families of the
 * jetton chain, and receives blocks of the Solana chain.
 *
 * @param WebSocketClass - for runtimes without a built-in WebSocket
 * @param createClient - for runtimes that support HTTP/2; the others use gRPC-web
 */
export async function report(
  { url, token, transaction, beacon, jetton, solana }: Task,
  WebSocketClass?: typeof globalThis.WebSocket,
  createClient?: CreateClient,
): Promise<Report> {
  const auth = { kind: 'token', token } as const
  const client = createEvmClient({ url, auth })
  const socket = createEvmClient({
    transport: webSocket({ url, auth, ...(WebSocketClass && { WebSocket: WebSocketClass }) }),
  })
  const before = BigInt(await eth_blockNumber(client))
  const block = await eth_getBlockByNumber(client, `0x${before.toString(16)}`, false)
  let onSubscribed = () => {}
  const active = new Promise<void>((resolve) => (onSubscribed = resolve))
  const heads = subscribe(socket, 'newHeads', undefined, { onSubscribed })
  await active
  await eth_sendRawTransaction(client, transaction)
  const head = await heads.next()
  await heads.return?.()
  socket.close()
  return {
    chainId: await eth_chainId(client),
    parent: block?.parentHash,
    rejection: await client.request({ method: 'eth_call', params: [{ to: '0x12' }] }).then(
      () => 'none',
      (error: unknown) =>
        FairleadError.is(error, 'RPC_ERROR') ? `RPC_ERROR ${error.details.rpcCode}` : String(error),
    ),
    isNotified: !head.done && BigInt(head.value.number ?? 0) === before + 1n,
    beacon: await reportBeacon(beacon),
    jetton: await reportJetton(jetton),
    solana: await reportSolana(solana, createClient),
  }
}

/** Reads JSON and SSZ, and receives a new head. */
async function reportBeacon({ url, token }: NodeAccess): Promise<BeaconReport> {
  const beacon = createBeaconClient({ url, auth: { kind: 'token', token } })
  const headerOf = async (block: string) => {
    const params = { path: { block_id: block } }
    return (await unwrap(beacon.GET('/eth/v1/beacon/headers/{block_id}', { params }))).data
  }
  const { root, header } = await headerOf('finalized')
  const params = { path: { block_id: root } }
  const { bytes, version } = await getSsz(beacon, '/eth/v2/beacon/blocks/{block_id}', { params })
  // An offset of 4 bytes and a signature of 96 bytes precede the message, which starts with its slot.
  const slot = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(100, true)

  const before = await headerOf('head')
  let notifiedRoot: string | undefined
  for await (const event of events(beacon, { topics: ['head'] })) {
    if (event.event !== 'head') continue
    notifiedRoot = event.data.block
    break
  }
  return {
    version,
    agrees: slot === BigInt(header.message.slot),
    isNotified: notifiedRoot !== undefined && notifiedRoot !== before.root,
  }
}

/** Reads from a node and from its indexer. */
async function reportJetton({ url, token }: NodeAccess): Promise<JettonReport> {
  const options = { url, auth: { kind: 'token', token } } as const
  const node = createJettonV2Client(options)
  const index = createJettonV3Client(options)
  const params = { config_id: 15 }
  const [byPath, byRpc] = await Promise.all([
    unwrap(node.GET('/api/v2/getConfigParam', { params: { query: params } })),
    node.call({ method: 'getConfigParam', params }),
  ])
  const { jetton_masters } = await unwrap(index.GET('/api/v3/jetton/masters'))
  const address = jetton_masters[0]?.address ?? ''
  const query = { address, limit: 1, sort: 'asc' } as const
  const { burns } = await unwrap(index.GET('/api/v3/jetton/burns', { params: { query } }))
  return {
    agrees: JSON.stringify(byPath.value) === JSON.stringify(byRpc.value),
    burned: burns[0]?.amount,
  }
}

/** Receives four blocks, starting at a slot in the past. */
async function reportSolana(
  { url, token }: NodeAccess,
  createClient: CreateClient = createGrpcWebClient,
): Promise<SolanaReport> {
  const geyser = createClient(GeyserDefinition, { url, auth: { kind: 'x-token', token } })
  // Unconfirmed blocks may be replaced.
  const commitment = CommitmentLevel.CONFIRMED
  const { slot } = await geyser.getSlot({ commitment })
  const duplex = createClient !== createGrpcWebClient
  const blocks: SubscribeUpdateBlockMeta[] = []
  const filters = { commitment, blocksMeta: { all: {} } }
  const updates = subscribeGeyser(geyser, filters, { fromSlot: slot - 2n, duplex })
  for await (const { updateOneof } of updates) {
    blocks.push(updateOneof.value)
    if (blocks.length === 4) break
  }
  await geyser.close()
  const unauthenticated = createClient(GeyserDefinition, { url, auth: { kind: 'x-token', token: 'wrong' } })
  const rejection = await unauthenticated.getSlot({}).then(
    () => 'none',
    (error: unknown) =>
      FairleadError.is(error, 'GRPC_STATUS') ? `GRPC_STATUS ${error.details.statusName}` : String(error),
  )
  await unauthenticated.close()
  const first = blocks[0]?.slot ?? 0n
  const follow = blocks.every(
    ({ parentBlockhash }, index) => index === 0 || parentBlockhash === blocks[index - 1]?.blockhash,
  )
  return { agrees: first >= slot - 2n && follow, rejection }
}
