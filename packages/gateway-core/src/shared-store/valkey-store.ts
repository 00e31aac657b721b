import { FairleadError } from '@fairlead/core'
import { createClient, RESP_TYPES } from '@redis/client'
import { hash } from 'node:crypto'
import type { Logger } from 'pino'
import { onTimeout } from './on-timeout.ts'
import type { SharedStore } from './types.ts'

const defaultTimeoutMs = 100
const connectTimeoutMs = 2_000
const minPauseMs = 50
const maxPauseMs = 2_000
// A store that did not respond in time is not used for this long.
const silenceMs = 1_000
// With more pending commands than this, no response is expected.
const maxQueuedCommands = 10_000

/** A shared store that reports its state. */
export interface OpenedSharedStore extends SharedStore {
  states(): SharedStoreStates
}

/** Counters since the start, and the availability of the store. */
export interface SharedStoreStates {
  /** Unix time in milliseconds since when the store has been unavailable; undefined while it is available. */
  readonly downSince: number | undefined
  readonly commands: number
  /** Commands without a response in time, and those that the store rejected. */
  readonly failures: number
}

/**
 * Opens the store that the replicas share, Valkey or Redis. It connects in the background until it is closed. It
 * logs each loss of the connection once and each reconnection once.
 *
 * @param url - `redis://user:password@host:port/database`, or `rediss://` for TLS
 * @param log - receives neither the URL nor any part of it
 * @param commandTimeoutMs - timeout of a command
 * @throws FairleadError `CONFIG_INVALID` for an invalid URL
 */
export function openSharedStore(
  url: string,
  log: Logger,
  commandTimeoutMs = defaultTimeoutMs,
): OpenedSharedStore {
  const client = clientOf(url)
  const inBytes = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer })
  const hashes = new Map<string, string>()
  let wasUp: boolean | undefined
  let downSince: number | undefined = Date.now()
  let isClosed = false
  let silentUntil = -Infinity
  const counts = { commands: 0, failures: 0 }
  const setAvailable = (isUp: boolean, reason?: string) => {
    if (isUp === wasUp || isClosed) return
    const isFirst = wasUp === undefined
    wasUp = isUp
    downSince = isUp ? undefined : (downSince ?? Date.now())
    if (isUp) log.info(isFirst ? 'shared store connected' : 'shared store reconnected')
    else log.warn({ reason }, 'shared store unavailable: each replica continues independently')
  }
  client.on('ready', () => setAvailable(true))
  client.on('error', (error: unknown) => setAvailable(false, kindOf(error)))
  // The client retries on its own; a rejection only means that it was closed before it connected.
  client.connect().catch(() => undefined)

  /** Adds a timeout for the response. The timeout of the library covers only the time until a command is sent. */
  const withTimeout = <reply>(pending: Promise<reply>): Promise<reply> =>
    new Promise((resolve, reject) => {
      const cancelTimeout = onTimeout(commandTimeoutMs, () => {
        silentUntil = performance.now() + silenceMs
        setAvailable(false, 'no response in time')
        reject(new Error('The shared store did not respond in time.'))
      })
      pending.then(
        (value) => {
          cancelTimeout()
          setAvailable(true)
          return resolve(value)
        },
        (error: unknown) => {
          cancelTimeout()
          return reject(error)
        },
      )
    })
  const inTime = async <reply>(pending: Promise<reply>): Promise<reply> => {
    counts.commands += 1
    try {
      return await withTimeout(pending)
    } catch (error) {
      counts.failures += 1
      throw error
    }
  }
  const run = (command: readonly (string | Buffer)[]) => inTime(client.sendCommand<unknown>([...command]))

  return {
    get isUp() {
      return client.isReady && performance.now() >= silentUntil
    },
    states: () => ({ downSince, ...counts }),
    run,
    bytes: async (command) => {
      const reply = await inTime(inBytes.sendCommand<unknown>([...command]))
      return Buffer.isBuffer(reply) ? reply : null
    },
    script: async (source, keys, values) => {
      const sha1 = hashes.get(source) ?? hash('sha1', source)
      hashes.set(source, sha1)
      const rest = [String(keys.length), ...keys, ...values.map(String)]
      try {
        return await run(['EVALSHA', sha1, ...rest])
      } catch (error) {
        if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
        return await run(['EVAL', source, ...rest])
      }
    },
    close: async () => {
      isClosed = true
      if (client.isOpen) client.destroy()
    },
  }
}

function clientOf(url: string) {
  try {
    return createClient({
      url,
      RESP: 2,
      disableOfflineQueue: true,
      disableClientInfo: true,
      maintNotifications: 'disabled',
      commandsQueueMaxLength: maxQueuedCommands,
      socket: { connectTimeout: connectTimeoutMs, reconnectStrategy: pauseMs },
    })
  } catch {
    // The error of the library may quote the URL.
    const rule = 'must be of the form redis://user:password@host:port/number, or rediss:// for TLS'
    throw new FairleadError('CONFIG_INVALID', { option: 'FAIRLEAD_VALKEY_URL', rule })
  }
}

function pauseMs(retries: number): number {
  // Random, so that replicas that lost the store at the same time do not reconnect at the same time.
  return Math.min(maxPauseMs, minPauseMs * 2 ** Math.min(retries, 10)) * (0.5 + Math.random() / 2)
}

/** The kind of an error, in a word that does not contain the URL. */
function kindOf(error: unknown): string {
  const { code, name } = error as NodeJS.ErrnoException
  return code ?? name
}
