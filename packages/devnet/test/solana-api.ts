import { SubscribeRequest, SubscribeUpdate } from '@fairlead/grpc/geyser'
import {
  callUnary,
  createHttp2Transport,
  GrpcError,
  type Call,
  type MethodDefinition,
  type Transport,
} from '@fairlead/grpc-transport'
import { onTestFinished } from 'vitest'
import { serveSolanaApi, type SolanaApiOptions } from '../src/solana/api/solana-api-server.ts'
import { createSolanaChain, type SolanaChainOptions } from '../src/solana/chain/create-solana-chain.ts'
import type { EmbeddedSolanaChain } from '../src/solana/chain/embedded-solana-chain.ts'
import { scratchDirectory } from './scratch.ts'
import type { RequestParts } from './solana-updates.ts'

/** A served chain and a transport to it. */
export interface ServedSolana {
  readonly chain: EmbeddedSolanaChain
  readonly url: string
  readonly transport: Transport
  /** Errors that were not reported to a client. */
  readonly faults: readonly unknown[]
  /** Closes the server before the test has finished. */
  close(): Promise<void>
}

/** Serves a chain that produces slots on demand, until the test has finished. */
export async function serveSolana(
  chainOptions: Partial<SolanaChainOptions> = {},
  apiOptions: Partial<SolanaApiOptions> = {},
): Promise<ServedSolana> {
  const faults: unknown[] = []
  const chain = await createSolanaChain({
    directory: await scratchDirectory(),
    secondsPerSlot: 0,
    traffic: false,
    // A fresh chain starts with this number of slots, and their production takes time.
    finalityBlocks: 4,
    onLost: (error) => faults.push(error),
    ...chainOptions,
  })
  const server = await serveSolanaApi({
    chain,
    port: 0,
    onFault: (error) => faults.push(error),
    ...apiOptions,
    // No test expects a ping between the updates, however long it takes.
    subscriptions: { pingMs: 3_600_000, ...apiOptions.subscriptions },
  })
  const url = `http://127.0.0.1:${server.port}`
  const transport = createHttp2Transport(url)
  onTestFinished(async () => {
    await transport.close()
    await server.close()
    await chain.stop()
  })
  return { chain, url, transport, faults, close: () => server.close() }
}

/** Calls a unary method. */
export async function callStream<request, response>(
  transport: Transport,
  service: string,
  { name, requestType, responseType }: MethodDefinition<request, response>,
  request: request,
): Promise<response> {
  const bytes = requestType.encode(request).finish()
  const { message } = await callUnary(transport, { path: `/${service}/${name}`, timeoutMs: 10_000 }, bytes)
  return responseType.decode(message)
}

/** A stream of updates. */
export class UpdateStream {
  readonly call: Call
  #lastPing = 0

  constructor(transport: Transport) {
    this.call = transport.open({ path: '/geyser.Geyser/Subscribe' })
  }

  /** Opens a stream and waits until the server has read its request. */
  static async open(transport: Transport, request: RequestParts): Promise<UpdateStream> {
    const stream = new UpdateStream(transport)
    await stream.use(request)
    return stream
  }

  /** Sends a request and waits until the server has read it. */
  async use(request: RequestParts): Promise<readonly SubscribeUpdate[]> {
    await this.send(request)
    return this.readAvailable()
  }

  send(request: RequestParts): Promise<void> {
    return this.call.send(SubscribeRequest.encode(SubscribeRequest.fromPartial(request)).finish())
  }

  /** Returns the next update; undefined when the stream has ended with OK. */
  async next(): Promise<SubscribeUpdate | undefined> {
    for (;;) {
      const bytes = this.call.read()
      if (bytes !== undefined) return SubscribeUpdate.decode(bytes)
      if (!(await this.call.readable())) return undefined
    }
  }

  async take(count: number): Promise<SubscribeUpdate[]> {
    const updates: SubscribeUpdate[] = []
    while (updates.length < count) {
      const update = await this.next()
      if (update === undefined) return updates
      updates.push(update)
    }
    return updates
  }

  /**
   * Returns all updates until the response to a ping. The server responds immediately, so earlier updates may still
   * follow.
   */
  async readAvailable(): Promise<readonly SubscribeUpdate[]> {
    const id = (this.#lastPing += 1)
    await this.send({ ping: { id } })
    const updates: SubscribeUpdate[] = []
    for (;;) {
      const update = await this.next()
      if (update?.updateOneof?.$case === 'pong' && update.updateOneof.value.id === id) return updates
      if (update === undefined) throw new Error('the stream ended')
      updates.push(update)
    }
  }

  /** Returns the error that ends the stream, after all updates before it. */
  async failure(): Promise<GrpcError> {
    try {
      while ((await this.next()) !== undefined);
    } catch (error) {
      if (GrpcError.is(error)) return error
      throw error
    }
    throw new Error('the stream ended with OK')
  }

  cancel(): void {
    this.call.cancel()
  }
}

/** Returns the kind of an update. */
export function kindOf({ updateOneof }: SubscribeUpdate): string | undefined {
  return updateOneof?.$case
}

/** Sends a JSON-RPC request, and returns the whole response. */
export async function rpc(
  url: string,
  method: string,
  ...params: readonly unknown[]
): Promise<Record<string, unknown>> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, { method: 'POST', body })
  return (await response.json()) as Record<string, unknown>
}
