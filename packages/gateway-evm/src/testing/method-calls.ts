import type { Method } from '@fairlead/core'
import { methods } from '@fairlead/evm-rpc/contract'
import { readSample } from '../probe/read-sample.ts'
import { type Ask, recipeOf } from '../probe/recipes.ts'

/** A call of a method of the contract. */
export interface MethodCall {
  readonly method: Method
  readonly params: readonly unknown[]
}

/**
 * One call of each method, about what exists on a chain; methods that might change the node are left out.
 *
 * @param ask - calls the node
 */
export async function methodCalls(ask: Ask): Promise<readonly MethodCall[]> {
  const sample = await readSample(ask)
  const calls: MethodCall[] = []
  for (const method of Object.values<Method>(methods)) {
    const recipe = recipeOf(method)
    if (recipe) calls.push({ method, params: await recipe.params(sample, ask) })
  }
  return calls
}
