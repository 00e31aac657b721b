import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ResultFn, overHttp, resultsOf } from './rpc-client.ts'
import type { Geth } from './geth.ts'

/** A block of the chain. */
export interface Built {
  readonly number: number
  readonly hash: string
  readonly timestamp: number
}

/** An execution payload, as defined by the engine API. */
export interface Payload {
  readonly blockHash: string
  readonly parentHash: string
  readonly blockNumber: string
  readonly timestamp: string
}

/** A running node and its data folder. */
export interface NodeWithFolder {
  readonly geth: Geth
  readonly folder: string
}

export const zeroHash = `0x${'00'.repeat(32)}`

/** A go-ethereum that receives its blocks through the engine API, as from a consensus client. */
export class EngineNode {
  readonly request: ResultFn
  readonly #engine: ResultFn

  constructor({ httpUrl, engineUrl }: Geth, secret: Buffer) {
    if (engineUrl === undefined) throw new Error('the node has no engine API')
    this.request = resultsOf(overHttp(httpUrl))
    this.#engine = resultsOf(overHttp(engineUrl, () => ({ authorization: `Bearer ${tokenOf(secret)}` })))
  }

  static async of({ geth, folder }: NodeWithFolder): Promise<EngineNode> {
    const secret = await readFile(join(folder, 'geth/jwtsecret'), 'utf8')
    return new EngineNode(geth, Buffer.from(secret.trim().slice(2), 'hex'))
  }

  async block(tag: string): Promise<Built> {
    const header = await this.request<Record<'number' | 'hash' | 'timestamp', string>>(
      'eth_getBlockByNumber',
      tag,
      false,
    )
    return { number: Number(header.number), hash: header.hash, timestamp: Number(header.timestamp) }
  }

  async import(payload: Payload): Promise<void> {
    const status = await this.#engine<{ readonly status: string }>(
      'engine_newPayloadV3',
      payload,
      [],
      zeroHash,
    )
    if (status.status !== 'VALID') throw new Error(`the block is not valid: ${JSON.stringify(status)}`)
  }

  /** Sends a block that the node does not have, and makes it the head. */
  async follow(head: Payload): Promise<void> {
    await this.#engine('engine_newPayloadV3', head, [], zeroHash)
    await this.#engine('engine_forkchoiceUpdatedV3', stateOf(head.blockHash, zeroHash, zeroHash), null)
  }

  async choose(head: string, safe = zeroHash, finalized = zeroHash): Promise<void> {
    const { payloadStatus } = await this.#engine<{ readonly payloadStatus: { readonly status: string } }>(
      'engine_forkchoiceUpdatedV3',
      stateOf(head, safe, finalized),
      null,
    )
    if (payloadStatus.status !== 'VALID') throw new Error(JSON.stringify(payloadStatus))
  }
}

const stateOf = (headBlockHash: string, safeBlockHash: string, finalizedBlockHash: string) => ({
  headBlockHash,
  safeBlockHash,
  finalizedBlockHash,
})

/** Creates a JSON Web Token that the engine API accepts for one minute. */
export function tokenOf(secret: Buffer): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const claims = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ iat: Math.floor(Date.now() / 1_000) })}`
  return `${claims}.${createHmac('sha256', secret).update(claims).digest('base64url')}`
}
