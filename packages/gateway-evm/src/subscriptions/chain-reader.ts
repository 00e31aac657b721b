import type { Upstream } from '../upstream/types.ts'
import { malformed } from '../response/rpc-errors.ts'
import { type Head, readHead } from '../chain/head.ts'
import type { LogEntry } from './block-window.ts'
import type { Log } from './log-filter.ts'

/** Options of {@link ChainReader}. */
export interface ChainReaderOptions {
  readonly upstream: Upstream
  /** Maximum wait for each response, in milliseconds. */
  readonly timeoutMs: number
}

const headsPerRequest = 50

/** The upstream's chain changed during the reads. The next reads will be consistent again. */
export class UnsettledError extends Error {}

/** Reads headers and logs of one upstream. */
export class ChainReader {
  readonly #upstream: Upstream
  readonly #timeoutMs: number
  readonly #stopped: AbortSignal

  /** @param stopped - aborts all reads */
  constructor({ upstream, timeoutMs }: ChainReaderOptions, stopped: AbortSignal) {
    this.#upstream = upstream
    this.#timeoutMs = timeoutMs
    this.#stopped = stopped
  }

  /** Returns the upstream's chain head. */
  async latest(): Promise<Head> {
    return readHead(await this.#call('eth_getBlockByNumber', ['latest', false]))
  }

  /** Returns the header with a number; undefined when the upstream does not have it. */
  async byNumber(number: number): Promise<Head | undefined> {
    const block = await this.#call('eth_getBlockByNumber', [hex(number), false])
    return block === null ? undefined : readHead(block)
  }

  /** @throws {@link UnsettledError} when the upstream does not have the header */
  async byHash(hash: string): Promise<Head> {
    const block = await this.#call('eth_getBlockByHash', [hash, false])
    if (block === null) throw new UnsettledError('a parent block is unknown')
    return readHead(block)
  }

  /**
   * Returns consecutive headers, at most 50.
   *
   * @throws {@link UnsettledError} when they are not all of one branch
   */
  async range(from: number, to: number): Promise<Head[]> {
    if (to < from) return []
    const numbers = Array.from(
      { length: Math.min(headsPerRequest, to - from + 1) },
      (_, index) => from + index,
    )
    const calls = numbers.map((number) => ['eth_getBlockByNumber', [hex(number), false]] as const)
    const blocks = await this.#upstream.batch(calls, this.#signal())
    if (blocks.length !== calls.length || blocks.includes(null))
      throw new UnsettledError('a block is unknown')
    const heads = blocks.map(readHead)
    const isLinked = heads.every((head, at) => at === 0 || head.parentHash === heads[at - 1]?.hash)
    if (!isLinked) throw new UnsettledError('another branch')
    return heads
  }

  /**
   * Returns the logs of exactly this block.
   *
   * @param addresses - account addresses whose logs are wanted, empty for all logs
   */
  async logs({ hash }: Head, addresses: readonly string[]): Promise<LogEntry[]> {
    const filter = { blockHash: hash, ...(addresses.length > 0 && { address: addresses }) }
    const logs = await this.#call('eth_getLogs', [filter])
    if (!Array.isArray(logs)) throw malformed()
    return logs.map((log: unknown) => ({ log: readLog(log, hash), text: JSON.stringify(log) }))
  }

  #call(method: string, params: readonly unknown[]): Promise<unknown> {
    return this.#upstream.call(method, params, this.#signal())
  }

  #signal(): AbortSignal {
    return AbortSignal.any([this.#stopped, AbortSignal.timeout(this.#timeoutMs)])
  }
}

function hex(number: number): string {
  return `0x${number.toString(16)}`
}

function readLog(value: unknown, hash: string): Log {
  const log = value as Log | null
  const isLog = typeof log?.address === 'string' && Array.isArray(log.topics) && log.blockHash === hash
  if (!isLog) throw malformed()
  return log
}
