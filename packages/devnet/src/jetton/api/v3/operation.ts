import type { JettonChain } from '../../chain/jetton-chain.ts'
import { Failure } from '../failure.ts'
import type { Reader } from './parameters.ts'

/** The chain of a request, and the additional objects that the client wants. */
export interface Context {
  readonly chain: JettonChain
  /** Whether the response contains the address book. */
  readonly withAddressBook: boolean
  /** Whether the response contains the token metadata. */
  readonly withMetadata: boolean
}

/** The parsers of the query parameters, by their names in the request. */
export type Parameters = Readonly<Record<string, Reader<unknown>>>

/** The parsed query parameters. */
export type Values<parameters extends Parameters> = {
  readonly [name in keyof parameters]: ReturnType<parameters[name]>
}

/** The input of a request: each query parameter with all its values, and the body as JSON. */
export interface RequestInput {
  readonly query: Readonly<Record<string, readonly string[]>>
  readonly body: unknown
}

/** An operation of the indexer. */
export interface Operation {
  readonly method: 'GET' | 'POST'
  /** Path below `/api/v3`. */
  readonly path: string
  /**
   * @returns the body of the response
   */
  handle(context: Context, input: RequestInput): Promise<unknown>
}

/**
 * Declares a GET operation.
 *
 * @param path path below `/api/v3`
 * @param parameters the parser of each query parameter; others are ignored
 * @param handle returns the body of the response
 */
export function query<const parameters extends Parameters>(
  path: string,
  parameters: parameters,
  handle: (context: Context, values: Values<parameters>) => unknown,
): Operation {
  return {
    method: 'GET',
    path,
    async handle(context, input) {
      const values = Object.entries(parameters).map(([name, read]) => [
        name,
        read(input.query[name] ?? [], name),
      ])
      return handle(context, Object.fromEntries(values) as Values<parameters>)
    },
  }
}

/**
 * Declares a POST operation.
 *
 * @param path path below `/api/v3`
 * @param handle returns the body of the response for the JSON object of the request
 */
export function call(
  path: string,
  handle: (context: Context, body: Readonly<Record<string, unknown>>) => unknown,
): Operation {
  return {
    method: 'POST',
    path,
    handle: async (context, { body }) => handle(context, requireObject(body)),
  }
}

function requireObject(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ...body }
  throw new Failure(422, 'the body must be a JSON object')
}
