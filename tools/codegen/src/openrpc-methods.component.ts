// A component for @open-rpc/generator: the generator passes the document, and this module writes the method map and the
// actions.
import { documentation, type Form, generalForm, namesIn, overloadForms, typeText } from './openrpc-forms.ts'
import type { RpcMethod, RpcSubscription } from './openrpc-types.ts'

interface TemplateArguments {
  readonly openrpcDocument: { readonly methods: readonly RpcMethod[] }
}

export const staticPath = (): undefined => undefined

export const hooks = {
  templateFiles: {
    typescript: [
      { path: 'methods.ts', template: methodMap },
      { path: 'actions.ts', template: actions },
    ],
  },
}

function methodMap({ openrpcDocument: { methods } }: TemplateArguments): string {
  const subscriptions = methods.flatMap((method) => Object.entries(method['x-subscriptions'] ?? {}))
  const types = [
    ...methods.flatMap((method) => [generalForm(method), ...overloadForms(method)].flatMap(typesOf)),
    ...subscriptions.flatMap(([, { options, notification }]) =>
      [...(options ? [options] : []), notification].map(typeText),
    ),
  ]
  return `${imports(types)}
/** Every method: its parameters and its result. \`overloads\` has the result for what is known about a parameter. */
export interface Methods {
${methods.map(entry).join('\n')}
}
${subscriptions.length > 0 ? subscriptionMap(subscriptions) : ''}
/** Methods that may have another effect when they are sent twice. */
export const nonIdempotentMethods: readonly string[] = ${JSON.stringify(
    methods.filter((method) => method['x-idempotent'] === false).map((method) => method.name),
  )}
`
}

function entry(method: RpcMethod): string {
  const shape = ({ params, result }: Form) => `params: ${paramsText(method, params)}; result: ${result}`
  const forms = overloadForms(method).map((form) => `\n    | { ${shape(form)} }`)
  const overloads = forms.length > 0 ? `; overloads:${forms.join('')}\n ` : ''
  return `${documentation(method, '  ')}  ${method.name}: { ${shape(generalForm(method))}${overloads} }`
}

function paramsText({ paramStructure }: RpcMethod, params: readonly string[]): string {
  if (paramStructure !== 'by-name') return `[${params.join(', ')}]`
  // An object type without members would accept any value.
  return params.length > 0 ? `{ ${params.join('; ')} }` : 'Record<string, never>'
}

function subscriptionMap(subscriptions: readonly [string, RpcSubscription][]): string {
  const entries = subscriptions.map(([kind, { summary, options, notification }]) => {
    const optionsType = options ? typeText(options) : 'undefined'
    return `  /** ${summary.trim()} */\n  ${kind}: { options: ${optionsType}; notification: ${typeText(notification)} }`
  })
  return `
/** What can be subscribed to: the options of each kind, and what every notification brings. */
export interface Subscriptions {
${entries.join('\n')}
}
`
}

function actions({ openrpcDocument: { methods } }: TemplateArguments): string {
  const callable = methods.filter((method) => !method['x-subscriptions'])
  const forms = callable.map((method) => [...overloadForms(method), generalForm(method)])
  return `import { type ActionClient, call } from '../action.ts'
${imports(forms.flat().flatMap(typesOf))}
${callable.map((method, index) => action(method, forms[index] ?? [])).join('\n')}`
}

function action(method: RpcMethod, forms: readonly Form[]): string {
  const signature = ({ params, result }: Form) =>
    `export function ${method.name}(${['client: ActionClient', ...params].join(', ')}): Promise<${result}>`
  const comment = documentation(method, '')
  const signatures = forms.map((form) => `${comment}${signature(form)}\n`)
  return `${signatures.join('')}export function ${method.name}(client: ActionClient, ...params: unknown[]): Promise<unknown> {
  return call(client, '${method.name}', params)
}
`
}

function imports(types: readonly string[]): string {
  const names = namesIn(types)
  return `import type {\n${names.map((name) => `  ${name},\n`).join('')}} from './schema.ts'\n`
}

function typesOf({ params, result }: Form): readonly string[] {
  // Without the parameter name, which would be mistaken for a type if it starts with a capital letter.
  return [...params.map((param) => param.slice(param.indexOf(':'))), result]
}
