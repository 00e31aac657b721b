import type { JettonChain } from '../../chain/jetton-chain.ts'
import { readParameters, type Parameters, type Values } from './parameters.ts'

/** A method of the API. */
export interface Method {
  /** HTTP methods that the method accepts; always includes POST. */
  readonly verbs: readonly ('GET' | 'POST')[]
  /**
   * @param chain The chain to read.
   * @param input Unparsed parameters from the client.
   * @param source The kind of request.
   * @returns The `result` of the response.
   * @throws {@link Failure}
   */
  call(chain: JettonChain, input: Readonly<Record<string, unknown>>, source: 'get' | 'post'): Promise<unknown>
}

/** Methods by name. */
export type Methods = Readonly<Record<string, Method>>

type Handler<parameters extends Parameters> = (chain: JettonChain, values: Values<parameters>) => unknown

/** Defines a read method: GET with a query, or POST with a JSON object. */
export function reading<parameters extends Parameters>(
  parameters: parameters,
  handle: Handler<parameters>,
): Method {
  return define(['GET', 'POST'], parameters, handle)
}

/** Defines a method that accepts a JSON object by POST only. */
export function posting<parameters extends Parameters>(
  parameters: parameters,
  handle: Handler<parameters>,
): Method {
  return define(['POST'], parameters, handle)
}

function define<parameters extends Parameters>(
  verbs: Method['verbs'],
  parameters: parameters,
  handle: Handler<parameters>,
): Method {
  return {
    verbs,
    call: async (chain, input, source) => handle(chain, readParameters(parameters, input, source)),
  }
}
