import type { JettonChain } from '../../chain/jetton-chain.ts'
import { readParameters, type Parameters, type Values } from './parameters.ts'

/** A method of the interface. */
export interface Method {
  /** HTTP methods by which it can be called; POST is among them always. */
  readonly verbs: readonly ('GET' | 'POST')[]
  /**
   * @param chain What to answer from.
   * @param given Parameters as the client sent them.
   * @param source Which form of a request it was.
   * @returns What the answer holds as `result`.
   * @throws {@link Failure}
   */
  call(chain: JettonChain, given: Readonly<Record<string, unknown>>, source: 'get' | 'post'): Promise<unknown>
}

/** Methods by name. */
export type Methods = Readonly<Record<string, Method>>

type Answer<parameters extends Parameters> = (chain: JettonChain, values: Values<parameters>) => unknown

/** Defines a method that reads: by GET with a query, by POST with a JSON object. */
export function reading<parameters extends Parameters>(
  parameters: parameters,
  answer: Answer<parameters>,
): Method {
  return define(['GET', 'POST'], parameters, answer)
}

/** Defines a method that takes a JSON object by POST alone. */
export function posting<parameters extends Parameters>(
  parameters: parameters,
  answer: Answer<parameters>,
): Method {
  return define(['POST'], parameters, answer)
}

function define<parameters extends Parameters>(
  verbs: Method['verbs'],
  parameters: parameters,
  answer: Answer<parameters>,
): Method {
  return {
    verbs,
    call: async (chain, given, source) => answer(chain, readParameters(parameters, given, source)),
  }
}
