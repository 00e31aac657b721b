import { FairleadError } from '@fairlead/core'
import type { BeaconClient } from '../client.ts'
import { type BodyCall, openBody } from './body.ts'
import { type JsonLists, type ListItems, type ListLocation, splitJsonLists } from './json-lists.ts'

/** Options for reading a long response. */
export interface StreamOptions {
  /** Cancels the stream; the abort reason is thrown unchanged. */
  readonly signal?: AbortSignal | undefined
  /** Maximum wait for the next chunk of the response in milliseconds. Default: `timeoutMs` of the client. */
  readonly idleMs?: number | undefined
}

/** The items of a long response in order of arrival. It can be read once; leaving the loop frees the connection. */
export interface ItemStream<item, context> extends AsyncIterable<item> {
  /**
   * The response without the items. After the first item it has the fields that precede the items, after the last one
   * all fields.
   */
  readonly context: Partial<context>
}

/**
 * Reads the lists of a response chunk by chunk.
 *
 * @param toItems - maps the items of one chunk to the items of the stream
 */
export function streamLists<item, context>(
  beacon: BeaconClient,
  call: Omit<BodyCall, 'accept'>,
  location: ListLocation,
  toItems: (batches: ListItems) => readonly item[],
): ItemStream<item, context> {
  const operation = `GET ${call.path}`
  const lists = splitJsonLists(location)
  let context: Partial<context> = {}

  async function* read(): AsyncGenerator<item, void, undefined> {
    const { body } = await openBody(beacon, { ...call, accept: 'application/json' })
    const reader = body.getReader()
    const decoder = new TextDecoder()
    let list: string | undefined
    try {
      for (;;) {
        const { done, value } = await reader.read()
        const batches = parseOrThrow(operation, () => lists.write(decoder.decode(value, { stream: !done })))
        for (const batch of batches) {
          if (batch.list !== list) context = parseOrThrow(operation, lists.partial) as Partial<context>
          list = batch.list
          for (const item of toItems(batch)) yield item
        }
        if (done) break
      }
      context = parseOrThrow(operation, () => requireLists(operation, location, lists)) as Partial<context>
    } finally {
      await reader.cancel().catch(() => {})
    }
  }
  const items = read()
  return {
    get context() {
      return context
    },
    [Symbol.asyncIterator]: () => items,
  }
}

// Without this check, a missing list would look like an empty one.
function requireLists(
  operation: string,
  { parent, lists, skipOtherLists }: ListLocation,
  all: JsonLists,
): unknown {
  const document = all.end()
  if (skipOtherLists) return document
  for (const list of lists) {
    const path = [...parent, list]
    const value = path.reduce(
      (object, field) => (object as Record<string, unknown> | null)?.[field],
      document,
    )
    if (Array.isArray(value)) continue
    throw new FairleadError('DECODE_INVALID', {
      operation,
      path: `$.${path.join('.')}`,
      rule: 'must be an array',
    })
  }
  return document
}

// The message of a SyntaxError quotes the body, which may contain secrets, so it is not included.
function parseOrThrow<value>(operation: string, parse: () => value): value {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new FairleadError('DECODE_INVALID', { operation, path: '$', rule: 'must be whole and JSON' })
  }
}
