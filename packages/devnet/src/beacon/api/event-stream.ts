import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { routes } from '@lodestar/api'
import type { BeaconChain } from '../chain/beacon-chain.ts'
import { Refused } from '../chain/refused.ts'

const keepAliveMs = 15_000
// A reader with this many pending bytes will not catch up; its pending data must not fill the memory.
const maxPendingBytes = 4 * 1024 * 1024

const topics: ReadonlySet<string> = new Set(Object.values(routes.events.eventTypes))

/**
 * Validates the topics of an event request.
 *
 * @param value The values of the `topics` parameter.
 * @returns The topics, without duplicates.
 * @throws Refused when there is no topic or an unknown one.
 */
export function requireTopics(value: unknown): ReadonlySet<string> {
  const wanted = [value].flat().filter((topic) => typeof topic === 'string')
  if (wanted.length === 0) throw new Refused('topics must name at least one topic.')
  if (!wanted.every((topic) => topics.has(topic))) {
    throw new Refused(`topics must each be one of ${[...topics].join(', ')}.`)
  }
  return new Set(wanted)
}

/**
 * Streams the events of a chain as server-sent events until the reader disconnects or the response ends.
 *
 * @param chain The chain whose events to stream.
 * @param wanted The requested topics.
 * @param response The response to write to; its headers are not sent yet.
 */
export async function streamEvents(
  chain: BeaconChain,
  wanted: ReadonlySet<string>,
  response: ServerResponse,
): Promise<void> {
  const events = routes.events.getEventSerdes(chain.config)
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache,no-transform',
    'x-accel-buffering': 'no',
  })
  // The reader can detect that the stream is open before the first event.
  response.flushHeaders()
  const write = (text: string) => {
    // The response may have ended slightly before the subscription does.
    if (response.writableEnded || response.destroyed) return
    response.write(text)
    if (response.writableLength > maxPendingBytes) response.destroy()
  }
  const unsubscribe = chain.subscribe((event) => {
    if (!wanted.has(event.type)) return
    write(`event: ${event.type}\ndata: ${JSON.stringify(events.toJson(event))}\n\n`)
  })
  const keepAlive = setInterval(() => write(':\n\n'), keepAliveMs)
  try {
    // A reader may have disconnected before it received the response headers.
    if (!response.closed) await once(response, 'close')
  } finally {
    clearInterval(keepAlive)
    unsubscribe()
  }
}
