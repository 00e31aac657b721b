import { FairleadError } from '@fairlead/core'
import type { BeaconClient } from '../client.ts'
import { type BodyCall, openBody } from './body.ts'
import { type JsonLists, type ListItems, type ListPlace, splitJsonLists } from './json-lists.ts'

/** How a long answer is read. */
export interface StreamOptions {
  /** Ends the stream; the reason of the abort is thrown unchanged. */
  readonly signal?: AbortSignal | undefined
  /** Longest wait for the next piece of the answer in milliseconds; left out, the `timeoutMs` of the client. */
  readonly idleMs?: number | undefined
}

/** The items of a long answer as they come. It is read once; leaving the loop frees the connection. */
export interface ItemStream<item, context> extends AsyncIterable<item> {
  /** The answer without the items: what came before them once the first one is there, all of it after the last one. */
  readonly context: Partial<context>
}

/**
 * Reads the lists of an answer piece by piece.
 *
 * @param toItems - what one piece brings, as the stream gives it
 */
export function streamLists<item, context>(
  beacon: BeaconClient,
  call: Omit<BodyCall, 'accept'>,
  place: ListPlace,
  toItems: (found: ListItems) => readonly item[],
): ItemStream<item, context> {
  const operation = `GET ${call.path}`
  const lists = splitJsonLists(place)
  let context: Partial<context> = {}

  async function* read(): AsyncGenerator<item, void, undefined> {
    const { body } = await openBody(beacon, { ...call, accept: 'application/json' })
    const reader = body.getReader()
    const decoder = new TextDecoder()
    let list: string | undefined
    try {
      for (;;) {
        const { done, value } = await reader.read()
        const found = parsed(operation, () => lists.write(decoder.decode(value, { stream: !done })))
        for (const one of found) {
          if (one.list !== list) context = parsed(operation, lists.soFar) as Partial<context>
          list = one.list
          for (const item of toItems(one)) yield item
        }
        if (done) break
      }
      context = parsed(operation, () => requireLists(operation, place, lists)) as Partial<context>
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

// A list that is read but not there would be told from an empty one by nobody.
function requireLists(operation: string, { parent, lists, passesOver }: ListPlace, all: JsonLists): unknown {
  const document = all.end()
  if (passesOver) return document
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

// The words of a SyntaxError quote the body, which may hold anything.
function parsed<value>(operation: string, parse: () => value): value {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new FairleadError('DECODE_INVALID', { operation, path: '$', rule: 'must be whole and JSON' })
  }
}
