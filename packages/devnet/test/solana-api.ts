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

/** A chain that is served, and a way to it. */
export interface ServedSolana {
  readonly chain: EmbeddedSolanaChain
  readonly url: string
  readonly transport: Transport
  /** What the server could tell no client. */
  readonly faults: readonly unknown[]
  /** Ends the server before the test has finished. */
  close(): Promise<void>
}

/** Serves a chain that makes its slots when it is told to, until the test has finished. */
export async function serveSolana(
  chainOptions: Partial<SolanaChainOptions> = {},
  apiOptions: Partial<SolanaApiOptions> = {},
): Promise<ServedSolana> {
  const faults: unknown[] = []
  const chain = await createSolanaChain({
    directory: await scratchDirectory(),
    secondsPerSlot: 0,
    traffic: false,
    // A fresh chain has as many slots, and takes its time for them.
    finalityBlocks: 4,
    onLost: (error) => faults.push(error),
    ...chainOptions,
  })
  const server = await serveSolanaApi({
    chain,
    port: 0,
    onFault: (error) => faults.push(error),
    ...apiOptions,
    // Nobody expects a ping between the updates, however long a test takes.
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
export async function ask<request, response>(
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

  /** Opens a stream whose request the server has read. */
  static async open(transport: Transport, request: RequestParts): Promise<UpdateStream> {
    const stream = new UpdateStream(transport)
    await stream.use(request)
    return stream
  }

  /** Sends a request and waits until the server has read it. */
  async use(request: RequestParts): Promise<readonly SubscribeUpdate[]> {
    await this.send(request)
    return this.settle()
  }

  send(request: RequestParts): Promise<void> {
    return this.call.send(SubscribeRequest.encode(SubscribeRequest.fromPartial(request)).finish())
  }

  /** The next update; undefined when the stream has ended with OK. */
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

  /** All updates until the answer to a ping, which the server gives at once, so that all before it may still follow. */
  async settle(): Promise<readonly SubscribeUpdate[]> {
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

  /** The error with which the stream ends, after all updates before it. */
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

/** What an update tells, in a word. */
export function kindOf({ updateOneof }: SubscribeUpdate): string | undefined {
  return updateOneof?.$case
}

/** A call of JSON-RPC, with its whole answer. */
export async function rpc(
  url: string,
  method: string,
  ...params: readonly unknown[]
): Promise<Record<string, unknown>> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, { method: 'POST', body })
  return (await response.json()) as Record<string, unknown>
}
