import type { Json } from './bundle.ts'
import { type ChainFile, methodsOfChain } from './chains.ts'
import { jsonLiteral, sorted } from './json-literal.ts'
import { componentSchemas, methodsOf } from './openrpc-types.ts'
import { contractSchema } from './schema-references.ts'

/** Generates the methods, schemas and chains of an OpenRPC document as TypeScript data for servers and validators. */
export function openrpcContract(document: Json, name: string, chains: readonly ChainFile[] = []): string {
  const { info } = document as { info: { version: string } }
  const described = methodsOf(document)
  const methods = described.map((method) => [
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
      tags: method.tags?.map((tag) => tag.name),
      availability: method['x-availability'],
      transports: method['x-transports'],
      result: contractSchema(method.result.schema, name),
    },
  ])
  const schemas = Object.fromEntries(
    Object.entries(componentSchemas(document)).map(([key, schema]) => [key, contractSchema(schema, name)]),
  )
  const subscriptions = described.flatMap((method) =>
    Object.entries(method['x-subscriptions'] ?? {}).map(
      ([kind, { options, notification, 'x-availability': by }]) => [
        kind,
        {
          ...(options && { options: contractSchema(options, name) }),
          notification: contractSchema(notification, name),
          availability: by ?? [],
        },
      ],
    ),
  )
  const chainData = chains.map(({ chain, path, networks, finality, methods: offer }) => [
    chain,
    { path, networks, finality: finality.model, methods: methodsOfChain(chain, offer, described) },
  ])
  const types = ['JsonSchema', 'Method', ...(subscriptions.length > 0 ? ['SubscriptionKind'] : [])]
  if (chainData.length > 0) types.unshift('Chain')
  return `import type { ${types.join(', ')} } from '@fairlead/core'

/** Version of the specification document. */
export const specVersion = ${JSON.stringify(info.version)}

/** \`$id\` under which a validator registers the schemas: \`{ $id: document, components: { schemas } }\`. */
export const document = ${JSON.stringify(name)}

/** Every component schema by name. */
export const schemas = ${jsonLiteral(sorted(schemas))} as const satisfies Readonly<Record<string, JsonSchema>>

/** Every method by name. */
export const methods = ${jsonLiteral(Object.fromEntries(methods))} as const satisfies Readonly<Record<string, Method>>
${section('Everything that can be subscribed to.', 'subscriptions', 'SubscriptionKind', subscriptions)}${section('Every chain by name.', 'chains', 'Chain', chainData)}`
}

function section(comment: string, name: string, type: string, entries: readonly unknown[][]): string {
  if (entries.length === 0) return ''
  const value = jsonLiteral(Object.fromEntries(entries as [string, unknown][]))
  return `
/** ${comment} */
export const ${name} = ${value} as const satisfies Readonly<Record<string, ${type}>>
`
}
