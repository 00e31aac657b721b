// A component for @open-rpc/generator: it hands over the document, this module writes the method map.
import type { RpcMethod } from './openrpc-types.ts'

interface TemplateArguments {
  readonly openrpcDocument: { readonly methods: readonly RpcMethod[] }
}

export const staticPath = (): undefined => undefined

export const hooks = { templateFiles: { typescript: [{ path: 'methods.ts', template: methodMap }] } }

function methodMap({ openrpcDocument: { methods } }: TemplateArguments): string {
  const types = methods.flatMap((method) => [
    ...method.params.map(({ schema }) => typeText(schema)),
    ...(method['x-overloads'] ?? [{ result: method.result.schema }]).map(({ result }) => typeText(result)),
  ])
  // A text that stands for itself may look like a name.
  const names = types.flatMap((type) => type.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').match(/\b[A-Z]\w*/g) ?? [])
  const used = new Set(names)
  used.delete('Record')
  const imports = [...used].toSorted().map((name) => `  ${name},\n`)
  return `import type {
${imports.join('')}} from './schema.ts'

/** Every method: its parameters and its result. A union where a flag decides about the result. */
export interface Methods {
${methods.map(entry).join('\n')}
}

/** Methods that may have another effect when they are sent twice. */
export const nonIdempotentMethods: readonly string[] = ${JSON.stringify(
    methods.filter((method) => method['x-idempotent'] === false).map((method) => method.name),
  )}
`
}

function entry(method: RpcMethod): string {
  const overloads = method['x-overloads']
  const forms = overloads
    ? overloads.map(({ when, result }) => form(method, when, typeText(result)))
    : [form(method, {}, typeText(method.result.schema))]
  return `${documentation(method)}  ${method.name}: ${forms.join(' | ')}`
}

function form(method: RpcMethod, when: Record<string, unknown>, result: string): string {
  const params = method.params.map((param) => {
    const type = param.name in when ? JSON.stringify(when[param.name]) : typeText(param.schema)
    return `${param.name}${param.required ? '' : '?'}: ${type}`
  })
  const shape = method.paramStructure === 'by-name' ? `{ ${params.join('; ')} }` : `[${params.join(', ')}]`
  return `{ params: ${shape}; result: ${result} }`
}

function typeText(schema: Record<string, unknown>): string {
  return schema['x-type'] as string
}

function documentation({ summary, description, params }: RpcMethod): string {
  const prose = [summary, description].filter((text) => text !== undefined).map((text) => text.trim())
  const lines = [
    ...prose.join('\n\n').split('\n'),
    ...(params.length > 0 ? [''] : []),
    ...params.map(
      (param) =>
        `@param ${param.name} - ${((param['description'] as string | undefined) ?? '').replaceAll(/\s+/g, ' ').trim()}`,
    ),
  ]
  return `  /**\n${lines.map((line) => `   * ${line.replaceAll('*/', '*\\/')}`.trimEnd()).join('\n')}\n   */\n`
}
