import type { Route } from '@fairlead/core'
import { encode, linesOf, pathOf, type Typed } from './encode.ts'
import { type Field, fieldOf, type Schemas } from './field-model.ts'

/** Location of a value in the request. */
export type FieldLocation = 'params' | 'path' | 'query' | 'body'

/** A call that a node supports. */
export interface Operation {
  readonly name: string
  /** Group of the operation. */
  readonly group: string
  /** Verb and path of a REST operation. */
  readonly summary: string
  readonly fields: readonly (Field & { readonly location: FieldLocation })[]
  /** Builds a request from the entered texts. */
  request(typed: Typed): Request | EncodeErrors
}

/** A request relative to the URL of a node. */
export interface Request {
  readonly method: string
  /** Path and query; empty when the URL of the node is complete. */
  readonly target: string
  readonly body: string | undefined
}

/** The errors of the entered texts, by the path of the field. */
export interface EncodeErrors {
  readonly errors: Readonly<Record<string, string>>
}

/** The path of a field's text; fields of different locations may have the same name. */
export function keyOf({
  location,
  name,
}: {
  readonly location: FieldLocation
  readonly name: string
}): string {
  return pathOf(location, name)
}

/**
 * The operations of a REST contract that respond immediately with JSON.
 *
 * @param routes - by operation
 * @param schemas - schemas that they reference
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
  const locatedFields = (location: FieldLocation, parameters: Route['query']) =>
    Object.entries(parameters).map(([name, { required, schema }]) => ({
      ...fieldOf(name, required, schema, schemas),
      location,
    }))
  const { requestBody } = route
  const body = requestBody && {
    ...fieldOf('body', requestBody.required, requestBody.schema, schemas),
    location: 'body' as const,
  }
  return [
    ...locatedFields('path', route.pathParameters),
    ...locatedFields('query', route.query),
    ...(body ? [body] : []),
  ]
}

function requestOf(route: Route, fields: Operation['fields'], typed: Typed): Request | EncodeErrors {
  const errors: Record<string, string> = {}
  const query = new URLSearchParams()
  let path: string = route.path
  let body: string | undefined
  for (const field of fields) {
    const key = keyOf(field)
    const encoded = encode(field, key, typed)
    if ('errors' in encoded) Object.assign(errors, encoded.errors)
    else if (field.location === 'body') body = encoded.text
    else {
      const value = (typed[key] ?? field.fallback).trim()
      const values = field.model.kind === 'list' ? linesOf(value) : value === '' ? [] : [value]
      if (field.location === 'path')
        path = path.replace(`{${field.name}}`, encodeURIComponent(values.join(',')))
      // Lists are sent with their key repeated.
      else for (const item of values) query.append(field.name, item)
    }
  }
  if (Object.keys(errors).length > 0) return { errors }
  const search = query.toString()
  return { method: route.method, target: search === '' ? path : `${path}?${search}`, body }
}
