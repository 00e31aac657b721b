import type { Json } from './bundle.ts'
import { jsonLiteral, sorted } from './json-literal.ts'
import { componentSchemas, methodsOf } from './openrpc-types.ts'
import { contractSchema } from './schema-references.ts'

/** The methods and schemas of an OpenRPC document as TypeScript data for servers and validators. */
export function openrpcContract(document: Json, name: string): string {
  const { info } = document as { info: { version: string } }
  const methods = methodsOf(document).map((method) => [
    method.name,
    {
      name: method.name,
      paramStructure: method.paramStructure === 'by-name' ? 'by-name' : 'by-position',
      params: method.params.map((param) => ({
        name: param.name,
        required: param.required === true,
        schema: contractSchema(param.schema, name),
      })),
      idempotent: method['x-idempotent'] !== false,
      result: contractSchema(method.result.schema, name),
    },
  ])
  const schemas = Object.fromEntries(
    Object.entries(componentSchemas(document)).map(([key, schema]) => [key, contractSchema(schema, name)]),
  )
  return `import type { JsonSchema, Method } from '@fairlead/core'

/** Version of the specification document. */
export const specVersion = ${JSON.stringify(info.version)}

/** \`$id\` under which a validator registers the schemas: \`{ $id: document, components: { schemas } }\`. */
export const document = ${JSON.stringify(name)}

/** Every component schema by name. */
export const schemas = ${jsonLiteral(sorted(schemas))} as const satisfies Readonly<Record<string, JsonSchema>>

/** Every method by name. */
export const methods = ${jsonLiteral(Object.fromEntries(methods))} as const satisfies Readonly<Record<string, Method>>
`
}
