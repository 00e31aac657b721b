import generate from '@open-rpc/generator'
import { validateOpenRPCDocument } from '@open-rpc/schema-utils-js'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Json } from './bundle.ts'
import { methodsOf, type RpcMethod, typeOf } from './openrpc-types.ts'

/** The output of the component: a map of types, and one function per method with positional parameters. */
export interface MethodFiles {
  readonly methods: string
  readonly actions: string | undefined
}

/**
 * Generates the method map and the actions of an OpenRPC document, using @open-rpc/generator with our own component.
 *
 * The generator builds its own typings from each schema, which never terminates for a recursive one. So it receives the
 * document with each schema reduced to a title and to the type that openapi-typescript generated for it.
 *
 * @throws Error when the document is not valid OpenRPC
 */
export async function openrpcMethods(document: Json): Promise<MethodFiles> {
  const valid = validateOpenRPCDocument(document as never)
  if (valid !== true)
    throw new Error(`not a valid OpenRPC document\n${validationErrors(valid.message, document)}`)
  const outDir = await mkdtemp(join(tmpdir(), 'fairlead-openrpc-'))
  try {
    await generate.default({
      openrpcDocument: {
        openrpc: document['openrpc'],
        info: document['info'],
        methods: methodsOf(document).map(reduced),
      } as never,
      outDir,
      components: [
        {
          type: 'custom',
          name: 'methods',
          language: 'typescript',
          customComponent: join(import.meta.dirname, 'openrpc-methods.component.ts'),
          customType: 'methods',
          openRPCPath: null,
        } as never,
      ],
    })
    const folder = join(outDir, 'custom', 'typescript')
    const byPosition = methodsOf(document).every(({ paramStructure }) => paramStructure !== 'by-name')
    return {
      methods: await readFile(join(folder, 'methods.ts'), 'utf8'),
      actions: byPosition ? await readFile(join(folder, 'actions.ts'), 'utf8') : undefined,
    }
  } finally {
    await rm(outDir, { recursive: true, force: true })
  }
}

interface ValidationError {
  readonly keyword: string
  readonly dataPath: string
  readonly message: string
  readonly params: { readonly additionalProperty?: string }
}

// The library returns the errors of its validator as JSON after two lines of text. In addition to the actual error,
// they contain the alternatives that failed: those of `oneOf`, and the fields that a plain reference would not have.
function validationErrors(text: string, document: Json): string {
  const all = JSON.parse(text.slice(text.indexOf('['))) as ValidationError[]
  const faults = all.filter(({ keyword }) => keyword !== 'oneOf')
  const specific = faults.filter(({ keyword }) => keyword !== 'additionalProperties')
  const methods = document['methods'] as readonly Json[] | undefined
  const lines = (specific.length > 0 ? specific : faults).map(({ dataPath, message, params }) => {
    const name = methods?.[Number(/^\.methods\[(\d+)\]/.exec(dataPath)?.[1])]?.['name']
    const location = `${dataPath.slice(1) || 'document'}${typeof name === 'string' ? ` (${name})` : ''}`
    return `  ${location}: ${message}${params.additionalProperty ? `: ${params.additionalProperty}` : ''}`
  })
  return [...new Set(lines)].join('\n')
}

function reduced(method: RpcMethod): Json {
  const { 'x-overloads': overloads, 'x-subscriptions': subscriptions } = method
  return {
    name: method.name,
    summary: method.summary,
    description: method.description,
    paramStructure: method.paramStructure,
    deprecated: method.deprecated,
    'x-idempotent': method['x-idempotent'],
    params: method.params.map(({ name, required, description, schema }) => ({
      name,
      required: required === true,
      description,
      schema: stub(`${method.name}.${name}`, schema),
    })),
    result: {
      name: method.result.name,
      description: method.result.description,
      schema: stub(`${method.name}.result`, method.result.schema),
    },
    ...(overloads && {
      'x-overloads': overloads.map(({ when, result }) => ({ when, result: { 'x-type': typeOf(result) } })),
    }),
    ...(subscriptions && {
      'x-subscriptions': Object.fromEntries(
        Object.entries(subscriptions).map(([kind, { summary, options, notification }]) => [
          kind,
          {
            summary,
            ...(options && { options: { 'x-type': typeOf(options) } }),
            notification: { 'x-type': typeOf(notification) },
          },
        ]),
      ),
    }),
  }
}

function stub(title: string, schema: Json): Json {
  return { title, 'x-type': typeOf(schema) }
}
