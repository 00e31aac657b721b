import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'
import type { Json } from './bundle.ts'

// What an editor can show next to a name. Examples of whole objects would be more than half of the output.
const longestExample = 160

/**
 * Generates types of every component and operation of an OpenAPI 3.1 document. Components are also exported under their
 * own names.
 */
export async function typescriptTypes(document: Json): Promise<string> {
  const nodes = await openapiTS(withoutLongExamples(document) as unknown as OpenAPI3, {
    alphabetize: true,
    // A default is the value that the server assumes. A caller may omit the field.
    defaultNonNullable: false,
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    silent: true,
  })
  return astToString(nodes)
}

function withoutLongExamples(document: Json): Json {
  const text = JSON.stringify(document, (key, value: unknown) => {
    const isLong = key === 'examples' && Array.isArray(value) && JSON.stringify(value).length > longestExample
    return isLong ? undefined : value
  })
  return JSON.parse(text) as Json
}
