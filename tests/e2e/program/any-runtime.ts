// What has to work in every runtime: it uses nothing but what the packages promise to run on.
import { createEvmClient, FairleadError, subscribe, webSocket } from '@fairlead/evm-rpc'
import {
  eth_blockNumber,
  eth_chainId,
  eth_getBlockByNumber,
  eth_sendRawTransaction,
} from '@fairlead/evm-rpc/actions'

/** What the program is given. */
export interface Task {
  readonly url: string
  readonly token: string
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
}

/**
 * Calls, fails, and hears about a new head.
 *
 * @param WebSocketClass - for runtimes that have none of their own
 */
export async function report(
  { url, token, transaction }: Task,
  WebSocketClass?: typeof globalThis.WebSocket,
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
  }
}
