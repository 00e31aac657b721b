import type { Json } from '@fairlead/codegen/src/bundle.ts'
import type { Bump, Category } from '../../change.ts'

/** A change of one operation and of the components that it uses, with the expected rating. */
export interface OpenapiCase {
  readonly title: string
  readonly bump: Bump
  readonly category?: Category
  readonly base: Side
  readonly head: Side
}

/** A path and component schemas. `item` is undefined if the document does not have the path. */
export interface Side {
  readonly item?: Json
  readonly schemas?: Readonly<Record<string, Json>>
}

/** The simplest schema. */
export const text: Json = { type: 'string' }

/** A JSON media type with a schema. */
export const json = (schema: Json): Json => ({ 'application/json': { schema } })

/** An object schema. */
export const object = (properties: Json, rest: Json = {}): Json => ({ type: 'object', properties, ...rest })

/** A path with one `POST`, and components. */
export function side(operation: Json, schemas: Readonly<Record<string, Json>> = {}): Side {
  return { item: { post: { responses: { 200: { description: 'Done.' } }, ...operation } }, schemas }
}

/** A path with one `GET`. */
export const get = (operation: Json): Json => ({
  get: { responses: { 200: { description: 'Done.' } }, ...operation },
})

/** A path with a request schema. */
export const inRequest = (schema: Json): Side => side({ requestBody: { content: json(schema) } })

/** A path with a response schema. */
export const inResponse = (schema: Json): Side =>
  side({ responses: { 200: { description: 'Done.', content: json(schema) } } })

/** A path with one query parameter. */
export const query = (parameter: Json): Side =>
  side({ parameters: [{ name: 'q', in: 'query', schema: text, ...parameter }] })

/** A path that uses a component in request and response. */
export const both = (name: string, schema: Json): Side => {
  const content = json({ $ref: `#/components/schemas/${name}` })
  return side(
    { requestBody: { content }, responses: { 200: { description: 'Done.', content } } },
    { [name]: schema },
  )
}
