import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'
import type { Json } from './bundle.ts'

/** Types of every component and operation of an OpenAPI 3.1 document; components also under their own names. */
export async function typescriptTypes(document: Json): Promise<string> {
  const nodes = await openapiTS(document as unknown as OpenAPI3, {
    alphabetize: true,
    // A default is what the server assumes; a caller may leave the field out.
    defaultNonNullable: false,
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    silent: true,
  })
  return astToString(nodes)
}
