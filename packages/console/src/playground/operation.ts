import type { Route } from '@fairlead/core'
import { encode, linesOf, pathOf, type Typed } from './encode.ts'
import { type Field, fieldOf, type Schemas } from './field-model.ts'

/** Where a value goes. */
export type Place = 'params' | 'path' | 'query' | 'body'

/** A call that a node may be asked for. */
export interface Operation {
  readonly name: string
  /** What it belongs to. */
  readonly group: string
  /** Verb and path of a REST operation. */
  readonly summary: string
  readonly fields: readonly (Field & { readonly place: Place })[]
  /** Puts a request together of what was typed. */
  request(typed: Typed): Request | Refusal
}

/** A request below the address of a node. */
export interface Request {
  readonly method: string
  /** Path and query; empty when the address is all of it. */
  readonly target: string
  readonly body: string | undefined
}

/** What is wrong with what was typed, by the path of the field. */
export interface Refusal {
  readonly errors: Readonly<Record<string, string>>
}

/** The path under which the value of a field is typed; fields of different places may have one name. */
export function keyOf({ place, name }: { readonly place: Place; readonly name: string }): string {
  return pathOf(place, name)
}

/**
 * The operations of a REST contract that are answered at once with JSON.
 *
 * @param routes - by operation
 * @param schemas - those that they refer to
 */
export function restOperations(
  routes: Readonly<Record<string, Route>>,
  schemas: Schemas,
): readonly Operation[] {
  return Object.values(routes)
    .filter((route) => !isStream(route))
    .map((route) => {
      const fields = fieldsOf(route, schemas)
      return {
        name: route.operationId,
        group: route.tags?.[0] ?? 'Other',
        summary: `${route.method} ${route.path}`,
        fields,
        request: (typed) => requestOf(route, fields, typed),
      }
    })
}

function isStream({ responses }: Route): boolean {
  return responses['200']?.mediaTypes?.includes('text/event-stream') ?? false
}

function fieldsOf(route: Route, schemas: Schemas): Operation['fields'] {
  const of = (place: Place, parameters: Route['query']) =>
    Object.entries(parameters).map(([name, { required, schema }]) => ({
      ...fieldOf(name, required, schema, schemas),
      place,
    }))
  const { requestBody } = route
  const body = requestBody && {
    ...fieldOf('body', requestBody.required, requestBody.schema, schemas),
    place: 'body' as const,
  }
  return [...of('path', route.pathParameters), ...of('query', route.query), ...(body ? [body] : [])]
}

function requestOf(route: Route, fields: Operation['fields'], typed: Typed): Request | Refusal {
  const errors: Record<string, string> = {}
  const query = new URLSearchParams()
  let path: string = route.path
  let body: string | undefined
  for (const field of fields) {
    const key = keyOf(field)
    const encoded = encode(field, key, typed)
    if ('errors' in encoded) Object.assign(errors, encoded.errors)
    else if (field.place === 'body') body = encoded.text
    else {
      const value = (typed[key] ?? field.fallback).trim()
      const values = field.model.kind === 'list' ? linesOf(value) : value === '' ? [] : [value]
      if (field.place === 'path') path = path.replace(`{${field.name}}`, encodeURIComponent(values.join(',')))
      // Lists travel with their key repeated.
      else for (const one of values) query.append(field.name, one)
    }
  }
  if (Object.keys(errors).length > 0) return { errors }
  const search = query.toString()
  return { method: route.method, target: search === '' ? path : `${path}?${search}`, body }
}
