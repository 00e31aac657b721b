import type { Json } from '@fairlead/codegen/src/bundle.ts'
import { type Operation, operationsOf } from './operations.ts'

/** The direction in which data travels through a part of a document. */
export type Direction = 'request' | 'response'

/** An operation that uses a component, and the direction of the use. */
export interface Use {
  readonly operation: Operation
  readonly direction: Direction
}

/** The operations that use each component, by the pointer of the component. */
export type Uses = ReadonlyMap<string, readonly Use[]>

/** Determines which operations use each component, directly or through other components. */
export function usesOf(document: Json): Uses {
  const reachable = reachableFrom(document)
  const uses = new Map<string, Use[]>()
  for (const operation of operationsOf(document)) {
    const sides = [
      ['request', [operation.parameters, operation.definition['requestBody']]],
      ['response', [operation.definition['responses']]],
    ] as const
    for (const [direction, parts] of sides) {
      for (const component of reachable(parts)) {
        const list = uses.get(component) ?? []
        list.push({ operation, direction })
        uses.set(component, list)
      }
    }
  }
  return uses
}

/** Returns the pointer of the component that contains a pointer. Undefined outside of components. */
export function componentAt(pointer: string): string | undefined {
  return /^#\/components\/[^/]+\/[^/]+/.exec(pointer)?.[0]
}

/**
 * Returns the directions in which the data at a pointer travels. Both for a component that is used in both directions.
 */
export function directionsAt(pointer: string, uses: Uses): ReadonlySet<Direction> {
  const component = componentAt(pointer)
  if (component !== undefined) return new Set(uses.get(component)?.map(({ direction }) => direction))
  if (/^#\/paths\/.*\/responses(\/|$)/.test(pointer)) return new Set(['response'])
  return new Set(/^#\/paths\/.*\/(parameters|requestBody)(\/|$)/.test(pointer) ? ['request'] : [])
}

function reachableFrom(document: Json): (parts: unknown) => ReadonlySet<string> {
  const direct = new Map<string, ReadonlySet<string>>()
  for (const [section, components] of Object.entries((document['components'] ?? {}) as Json)) {
    for (const [name, component] of Object.entries(components as Json)) {
      direct.set(`#/components/${section}/${name}`, references(component))
    }
  }
  return (parts) => {
    const found = new Set<string>()
    const open = [...references(parts)]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (found.has(next)) continue
      found.add(next)
      open.push(...(direct.get(next) ?? []))
    }
    return found
  }
}

function references(value: unknown): ReadonlySet<string> {
  const found = new Set<string>()
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const reference = (node as Json)['$ref']
    if (typeof reference === 'string') found.add(componentAt(reference) ?? reference)
    for (const item of Object.values(node)) walk(item)
  }
  walk(value)
  return found
}
