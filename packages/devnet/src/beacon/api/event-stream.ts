import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { routes } from '@lodestar/api'
import type { BeaconChain } from '../chain/beacon-chain.ts'
import { Refused } from '../chain/refused.ts'

const keepAliveMs = 15_000
// A reader that is this far behind will not catch up; what waits for it must not fill the memory.
const mostWaitingBytes = 4 * 1024 * 1024

const topics: ReadonlySet<string> = new Set(Object.values(routes.events.eventTypes))

/**
 * Checks the topics of a request for events.
 *
 * @param given The values of the `topics` parameter.
 * @returns The topics, each once.
 * @throws Refused when there is none or an unknown one.
 */
export function requireTopics(given: unknown): ReadonlySet<string> {
  const wanted = [given].flat().filter((topic) => typeof topic === 'string')
  if (wanted.length === 0) throw new Refused('topics must name at least one topic.')
  if (!wanted.every((topic) => topics.has(topic))) {
    throw new Refused(`topics must each be one of ${[...topics].join(', ')}.`)
  }
  return new Set(wanted)
}

/**
 * Streams the events of a chain until the reader leaves or the response is ended, in the format of server-sent events.
 *
 * @param chain The chain to listen to.
 * @param wanted The topics of interest.
 * @param response The response to write to; its head is not sent yet.
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
  // Readers learn that the stream is open before the first event.
  response.flushHeaders()
  const write = (text: string) => {
    // The end is known here a moment before the subscription is.
    if (response.writableEnded || response.destroyed) return
    response.write(text)
    if (response.writableLength > mostWaitingBytes) response.destroy()
  }
  const unsubscribe = chain.subscribe((event) => {
    if (!wanted.has(event.type)) return
    write(`event: ${event.type}\ndata: ${JSON.stringify(events.toJson(event))}\n\n`)
  })
  const keepAlive = setInterval(() => write(':\n\n'), keepAliveMs)
  try {
    // A reader may have left before it got its head.
    if (!response.closed) await once(response, 'close')
  } finally {
    clearInterval(keepAlive)
    unsubscribe()
  }
}
