import type { JettonChain } from '../../chain/jetton-chain.ts'
import { Failure } from '../failure.ts'
import type { Reader } from './parameters.ts'

/** What a request may look at, and what it wants beside the rows. */
export interface Context {
  readonly chain: JettonChain
  /** Whether the answer carries the address book. */
  readonly withAddressBook: boolean
  /** Whether the answer carries the metadata of tokens. */
  readonly withMetadata: boolean
}

/** The parameters of a query by their names on the wire. */
export type Parameters = Readonly<Record<string, Reader<unknown>>>

/** What the parameters of a query were read as. */
export type Values<parameters extends Parameters> = {
  readonly [name in keyof parameters]: ReturnType<parameters[name]>
}

/** What a request brings: each parameter of its query with all its values, and its body as JSON. */
export interface Given {
  readonly query: Readonly<Record<string, readonly string[]>>
  readonly body: unknown
}

/** An operation of the indexer. */
export interface Operation {
  readonly method: 'GET' | 'POST'
  /** Path below `/api/v3`. */
  readonly path: string
  /** @returns the body of the answer */
  answer(context: Context, given: Given): Promise<unknown>
}

/**
 * Declares a GET.
 *
 * @param path path below `/api/v3`
 * @param parameters how to read each parameter of the query; any other is ignored
 * @param answer gives the body of the answer
 */
export function query<const parameters extends Parameters>(
  path: string,
  parameters: parameters,
  answer: (context: Context, values: Values<parameters>) => unknown,
): Operation {
  return {
    method: 'GET',
    path,
    async answer(context, given) {
      const values = Object.entries(parameters).map(([name, read]) => [
        name,
        read(given.query[name] ?? [], name),
      ])
      return answer(context, Object.fromEntries(values) as Values<parameters>)
    },
  }
}

/**
 * Declares a POST.
 *
 * @param path path below `/api/v3`
 * @param answer gives the body of the answer for the JSON object of the request
 */
export function call(
  path: string,
  answer: (context: Context, body: Readonly<Record<string, unknown>>) => unknown,
): Operation {
  return {
    method: 'POST',
    path,
    answer: async (context, { body }) => answer(context, requireObject(body)),
  }
}

function requireObject(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ...body }
  throw new Failure(422, 'the body must be a JSON object')
}
