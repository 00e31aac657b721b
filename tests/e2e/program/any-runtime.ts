// What has to work in every runtime: it uses nothing but what the packages promise to run on.
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

/** An address, and who may use it. */
interface NodeAccess {
  readonly url: string
  readonly token: string
}

/** What the program is given. */
export interface Task extends NodeAccess {
  readonly beacon: NodeAccess
  readonly jetton: NodeAccess
  readonly solana: NodeAccess
  /** Signed, and not sent yet; the block that it comes into is waited for. */
  readonly transaction: string
}

/** What the program has seen. */
export interface Report {
  readonly chainId: string
  readonly parent: string | undefined
  readonly refusal: string
  /** Whether the head that was pushed is the block after the one before the transaction. */
  readonly pushed: boolean
  readonly beacon: BeaconReport
  readonly jetton: JettonReport
  readonly solana: SolanaReport
}

/** What the program has seen of the beacon chain. */
interface BeaconReport {
  /** Fork of the finalized block, from a header of the answer in SSZ. */
  readonly version: string | undefined
  /** Whether the bytes of that block are of the slot that its header in JSON names. */
  readonly agrees: boolean
  /** Whether the head that was pushed is another than the one before. */
  readonly pushed: boolean
}

/** What the program has seen of the jetton chain. */
interface JettonReport {
  /** Whether a path and JSON-RPC answer the same parameter of the configuration. */
  readonly agrees: boolean
  /** How much of its first jetton was burned first. */
  readonly burned: string | undefined
}

/** What the program has seen of the Solana chain. */
interface SolanaReport {
  /** Whether the blocks that were pushed follow each other, none of them older than the slot that was asked for. */
  readonly agrees: boolean
  /** How a call with a wrong token ends. */
  readonly refusal: string
}

/** Makes a client of gRPC, over HTTP/2 or by gRPC-web. */
export type CreateClient = (
  service: typeof GeyserDefinition,
  options: { readonly url: string; readonly auth: { readonly kind: 'x-token'; readonly token: string } },
) => ReturnType<typeof createGrpcWebClient<typeof GeyserDefinition>>

/**
 * Calls, fails, and hears about a new head; of the beacon chain, too, calls both families of the jetton chain, and hears
 * about blocks of the Solana chain.
 *
 * @param WebSocketClass - for runtimes that have none of their own
 * @param createClient - for runtimes that speak HTTP/2; the others use gRPC-web
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
    refusal: await client.request({ method: 'eth_call', params: [{ to: '0x12' }] }).then(
      () => 'none',
      (error: unknown) =>
        FairleadError.is(error, 'RPC_ERROR') ? `RPC_ERROR ${error.context.rpcCode}` : String(error),
    ),
    pushed: !head.done && BigInt(head.value.number ?? 0) === before + 1n,
    beacon: await reportBeacon(beacon),
    jetton: await reportJetton(jetton),
    solana: await reportSolana(solana, createClient),
  }
}

/** Reads JSON and SSZ, and hears about a new head. */
async function reportBeacon({ url, token }: NodeAccess): Promise<BeaconReport> {
  const beacon = createBeaconClient({ url, auth: { kind: 'token', token } })
  const headerOf = async (block: string) => {
    const params = { path: { block_id: block } }
    return (await unwrap(beacon.GET('/eth/v1/beacon/headers/{block_id}', { params }))).data
  }
  const { root, header } = await headerOf('finalized')
  const params = { path: { block_id: root } }
  const { bytes, version } = await getSsz(beacon, '/eth/v2/beacon/blocks/{block_id}', { params })
  // An offset of 4 bytes and a signature of 96 come before the message, which begins with its slot.
  const slot = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(100, true)

  const before = await headerOf('head')
  let pushed: string | undefined
  for await (const event of events(beacon, { topics: ['head'] })) {
    if (event.event !== 'head') continue
    pushed = event.data.block
    break
  }
  return {
    version,
    agrees: slot === BigInt(header.message.slot),
    pushed: pushed !== undefined && pushed !== before.root,
  }
}

/** Reads a node and the index over it. */
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

/** Hears about four blocks, from a slot on that has been already. */
async function reportSolana(
  { url, token }: NodeAccess,
  createClient: CreateClient = createGrpcWebClient,
): Promise<SolanaReport> {
  const geyser = createClient(GeyserDefinition, { url, auth: { kind: 'x-token', token } })
  // Blocks that are not confirmed may be replaced.
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
  const stranger = createClient(GeyserDefinition, { url, auth: { kind: 'x-token', token: 'wrong' } })
  const refusal = await stranger.getSlot({}).then(
    () => 'none',
    (error: unknown) =>
      FairleadError.is(error, 'GRPC_STATUS') ? `GRPC_STATUS ${error.context.statusName}` : String(error),
  )
  await stranger.close()
  const first = blocks[0]?.slot ?? 0n
  const follow = blocks.every(
    ({ parentBlockhash }, index) => index === 0 || parentBlockhash === blocks[index - 1]?.blockhash,
  )
  return { agrees: first >= slot - 2n && follow, refusal }
}
