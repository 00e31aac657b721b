import type { JsonSchema } from '@fairlead/core'
import type { OperationId } from '@fairlead/platform-server/platform-api/platform-call'
import { routeTable } from './contract-violations.ts'
import { propertiesOf, resolved } from './invalid-input.ts'
import type { RequestInput } from './request-input.ts'

/** A parameter, or a member of the body at any depth. */
export interface RequestPart {
  readonly place: 'path' | 'query' | 'headers' | 'body'
  /** Names of the members that lead to the part. */
  readonly names: readonly string[]
  /** Without a reference. */
  readonly schema: JsonSchema
}

/** The name under which a response reports a part. */
export function fieldOf({ names }: RequestPart): string {
  return names.join('.')
}

/** Lists the parameters of an operation, and all members of its body at any depth. */
export function partsOf(id: OperationId): readonly RequestPart[] {
  const { pathParameters, query, headers = {}, requestBody } = routeTable[id]
  const parameters = Object.entries({ path: pathParameters, query, headers } as const).flatMap(
    ([place, table]) =>
      Object.entries(table).map(([name, { schema }]) => ({
        place: place as 'path' | 'query' | 'headers',
        names: [name],
        schema: resolved(schema),
      })),
  )
  return [...parameters, ...(requestBody === undefined ? [] : bodyParts(requestBody.schema, []))]
}

function bodyParts(schema: JsonSchema, names: readonly string[]): readonly RequestPart[] {
  const rules = resolved(schema)
  const { items, additionalProperties } = rules
  const children = [
    ...Object.entries(propertiesOf(rules)),
    ...(isSchema(items) ? [['0', items] as const] : []),
    ...(isSchema(additionalProperties) ? [['eth_call', additionalProperties] as const] : []),
  ]
  const nested = children.flatMap(([name, child]) => bodyParts(child, [...names, name]))
  return names.length === 0 ? nested : [{ place: 'body', names, schema: rules }, ...nested]
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null
}

/** Whether a part is text without a fixed set of values. */
export function isFreeText({ schema }: RequestPart): boolean {
  return [schema['type']].flat().includes('string') && !('enum' in schema) && !('const' in schema)
}

/** Replaces the value of a part in the input of a request. */
export function withPart(input: RequestInput, { place, names }: RequestPart, value: unknown): RequestInput {
  return { ...input, [place]: replaced(input[place], names, value) }
}

function replaced(value: unknown, [name, ...rest]: readonly string[], replacement: unknown): unknown {
  if (name === undefined) return replacement
  if (name === '0') return [replaced(undefined, rest, replacement)]
  const members = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  return { ...members, [name]: replaced(members[name], rest, replacement) }
}
