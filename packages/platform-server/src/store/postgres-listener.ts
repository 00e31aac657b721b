import { setTimeout as delay } from 'node:timers/promises'
import { Client, type ClientConfig } from 'pg'
import { guardedInterval } from '@fairlead/runtime'

const firstRetryMs = 100
const maxRetryMs = 5_000
const probeMs = 10_000

/** Options of {@link listenToPostgres}. */
export interface PostgresListenerOptions {
  readonly channel: string
  /**
   * Called with the payload of each notification, and without a payload after each reconnect, because notifications may
   * have been missed.
   */
  readonly onNotification: (payload?: string) => void
  /** Called when the connection is lost, and after each failed attempt to reconnect. */
  readonly onLost?: ((error: unknown) => void) | undefined
}

/** A running listener; `stop` ends it permanently. */
export interface PostgresListener {
  stop(): Promise<void>
}

/** Listens on one channel of a PostgreSQL server over a dedicated connection and reconnects whenever it breaks. */
export async function listenToPostgres(
  config: ClientConfig,
  options: PostgresListenerOptions,
): Promise<PostgresListener> {
  const stopping = new AbortController()
  let connection = await connect(config, options)
  const running = (async () => {
    while (!stopping.signal.aborted) {
      const error = await connection.broken(stopping.signal)
      if (stopping.signal.aborted) break
      options.onLost?.(error)
      const next = await reconnect(config, options, stopping.signal)
      if (next === undefined) break
      connection = next
      options.onNotification()
    }
    await connection.end()
  })()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}

interface Connection {
  /** Resolves when the connection breaks or the signal fires. */
  broken(signal: AbortSignal): Promise<unknown>
  end(): Promise<void>
}

async function connect(config: ClientConfig, options: PostgresListenerOptions): Promise<Connection> {
  const client = new Client({ ...config, keepAlive: true, query_timeout: probeMs })
  const lost = new AbortController()
  // Without these handlers, a lost connection would end the process.
  client.on('error', (error) => lost.abort(error))
  client.on('end', () => lost.abort(new Error('The connection was closed.')))
  client.on('notification', (message) => {
    if (message.channel === options.channel) options.onNotification(message.payload)
  })
  try {
    await client.connect()
    await client.query(`listen ${client.escapeIdentifier(options.channel)}`)
  } catch (error) {
    await closed(client)
    throw error
  }
  // A connection whose peer disappeared silently looks idle; only a query detects that it is dead.
  const probe = guardedInterval(() => {
    client.query('select 1').catch((error: unknown) => lost.abort(error))
  }, probeMs)
  probe.unref()
  const end = async () => {
    clearInterval(probe)
    await closed(client)
  }
  return {
    end,
    async broken(signal) {
      await aborted(AbortSignal.any([lost.signal, signal]))
      if (lost.signal.aborted) await end()
      return lost.signal.reason
    },
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}

async function reconnect(
  config: ClientConfig,
  options: PostgresListenerOptions,
  signal: AbortSignal,
): Promise<Connection | undefined> {
  for (let wait = firstRetryMs; !signal.aborted; wait = Math.min(wait * 2, maxRetryMs)) {
    try {
      return await connect(config, options)
    } catch (error) {
      options.onLost?.(error)
    }
    await delay(wait, undefined, { signal }).catch(() => {})
  }
  return undefined
}

// A dead connection may never acknowledge the close, so the wait is short.
async function closed(client: Client): Promise<void> {
  await Promise.race([client.end().catch(() => {}), delay(1_000, undefined, { ref: false })])
}
