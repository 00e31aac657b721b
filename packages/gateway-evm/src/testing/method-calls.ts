import type { Method } from '@fairlead/core'
import { methods } from '@fairlead/evm-rpc/contract'
import { readSample } from '../probe/read-sample.ts'
import { type Send, recipeOf } from '../probe/recipes.ts'

/** A call of a method of the specification. */
export interface MethodCall {
  readonly method: Method
  readonly params: readonly unknown[]
}

/**
 * Returns one call of each method, with values that exist on a chain. Methods that might change the node are omitted.
 *
 * @param send - calls the upstream
 */
export async function methodCalls(send: Send): Promise<readonly MethodCall[]> {
  const sample = await readSample(send)
  const calls: MethodCall[] = []
  for (const method of Object.values<Method>(methods)) {
    const recipe = recipeOf(method)
    if (recipe) calls.push({ method, params: await recipe.params(sample, send) })
  }
  return calls
}
