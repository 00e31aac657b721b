import type { Method } from '@fairlead/core'
import type { ProbeCall } from '../methods/method-policy.ts'
import { methodTable } from '../methods/method-table.ts'
import type { ProbeResponse } from './read-response.ts'
import type { ChainSample } from './read-sample.ts'
import { sampleParams } from './sample-params.ts'

/** Calls the upstream in addition to the measured call. */
export type Send = (method: string, params: readonly unknown[]) => Promise<ProbeResponse>

/** How to call a method without side effects that remain. */
export interface Recipe {
  params(sample: ChainSample, send: Send): readonly unknown[] | Promise<readonly unknown[]>
  /** Removes what the call created. */
  cleanUp?(response: ProbeResponse, params: readonly unknown[], send: Send): Promise<unknown>
}

/**
 * Returns the recipe of a method from its policy. Undefined for a method that has no known harmless call.
 *
 * @param method - method of the specification
 */
export function recipeOf(method: Method): Recipe | undefined {
  const probe = methodTable.get(method.name)?.policy.probe
  if (probe === undefined) return undefined
  return probe === 'sample' ? { params: (sample) => sampleParams(method, sample) } : recipeOfCall(probe)
}

function recipeOfCall({ create, params, cleanUp }: ProbeCall): Recipe {
  return {
    params: async (sample, send) => {
      const created = create === undefined ? undefined : await createdBy(create, sample, send)
      return params.map((param) => withValues(param, { $block: sample.block.number, $created: created }))
    },
    ...(cleanUp !== undefined && {
      cleanUp: ({ result }, [param], send) => {
        const created = create === undefined ? result : param
        return typeof created === 'string' ? send(cleanUp, [created]) : Promise.resolve()
      },
    }),
  }
}

/** Calls a method that creates something, and returns its id. */
async function createdBy(name: string, sample: ChainSample, send: Send): Promise<string> {
  const method = methodTable.get(name)?.method
  const params = (method && (await recipeOf(method)?.params(sample, send))) ?? []
  const { result } = await send(name, params)
  return typeof result === 'string' ? result : '0x1'
}

/** Replaces the texts that stand for values. */
function withValues(param: unknown, values: Readonly<Record<string, unknown>>): unknown {
  if (typeof param === 'string') return Object.hasOwn(values, param) ? values[param] : param
  if (Array.isArray(param)) return param.map((item) => withValues(item, values))
  if (typeof param !== 'object' || param === null) return param
  return Object.fromEntries(Object.entries(param).map(([key, item]) => [key, withValues(item, values)]))
}
