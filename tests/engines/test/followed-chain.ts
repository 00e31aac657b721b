import { expect } from 'vitest'
import { overHttp, resultsOf, type Socket } from './rpc-client.ts'
import type { DrivenGeth } from './driven-geth.ts'
import type { Built } from './engine-chain.ts'

interface Header {
  readonly number: string
  readonly hash: string
  readonly parentHash: string
}

interface Log {
  readonly blockHash: string
  readonly logIndex: string
  readonly removed: boolean
}

/** The chain as seen by a client that subscribed to heads and logs. */
export interface FollowedChain {
  readonly socket: Socket
  /** Hashes of the notified blocks that were not replaced. */
  blocks(): readonly string[]
  /** Block hash and index of the notified logs that were not removed. */
  logs(): readonly string[]
}

/**
 * Subscribes to heads and logs.
 *
 * @returns the chain by the notifications; reading it throws if one was missing, duplicated or out of order
 */
export async function followChain(socket: Socket): Promise<FollowedChain> {
  const heads = await socket.request('eth_subscribe', ['newHeads'])
  const logs = await socket.request('eth_subscribe', ['logs', {}])
  const resultOf = <result>({ result }: { readonly result?: unknown }) =>
    socket.notifications
      .filter(({ subscription }) => subscription === result)
      .map((notification) => notification.result as result)
  return {
    socket,
    blocks: () => blocksOf(resultOf<Header>(heads)),
    logs: () => logsOf(resultOf<Log>(logs)),
  }
}

/** Waits until clients have the same blocks and logs as geth, from a given block on. */
export async function expectFollowed(
  { httpUrl, chain }: Pick<DrivenGeth, 'httpUrl' | 'chain'>,
  followers: readonly FollowedChain[],
  first: Built | undefined,
): Promise<void> {
  const { number } = await chain.head()
  const from = first?.number ?? 0
  const blocks = await Promise.all(
    Array.from({ length: number - from + 1 }, (_, at) => chain.block(from + at)),
  )
  const logsByBlock = blocks.map(({ hash: blockHash }) =>
    resultsOf(overHttp(httpUrl))<readonly Log[]>('eth_getLogs', { blockHash }),
  )
  const logs = (await Promise.all(logsByBlock)).flat()
  for (const follower of followers) {
    await expect.poll(() => follower.blocks()).toEqual(blocks.map(({ hash }) => hash))
    await expect
      .poll(() => follower.logs())
      .toEqual(logs.map(({ blockHash, logIndex }) => `${blockHash} ${logIndex}`))
  }
}

function blocksOf(headers: readonly Header[]): readonly string[] {
  let chain: Header[] = []
  const delivered = new Set<string>()
  for (const header of headers) {
    if (delivered.has(header.hash)) throw new Error(`block ${header.number} ${header.hash} came twice`)
    delivered.add(header.hash)
    const parent = chain.findLastIndex(({ hash }) => hash === header.parentHash)
    const isFirst = chain.length === 0
    const replacesAll = Number(header.number) <= Number(chain[0]?.number)
    if (parent < 0 && !isFirst && !replacesAll) throw new Error(`a block is missing before ${header.number}`)
    chain = [...chain.slice(0, parent + 1), header]
  }
  return chain.map(({ hash }) => hash)
}

function logsOf(logs: readonly Log[]): readonly string[] {
  const deliveredHashes: string[] = []
  for (const { blockHash, logIndex, removed } of logs) {
    const log = `${blockHash} ${logIndex}`
    if (!removed && deliveredHashes.includes(log)) throw new Error(`log ${log} came twice`)
    if (!removed) deliveredHashes.push(log)
    else if (deliveredHashes.pop() !== log) throw new Error(`log ${log} was removed out of order`)
  }
  return deliveredHashes
}
