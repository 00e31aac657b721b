import type { Method } from '@fairlead/core'
import { encode, type Typed } from './encode.ts'
import { fieldOf, type Schemas } from './field-model.ts'
import { keyOf, type Operation, type EncodeErrors, type Request } from './operation.ts'

/**
 * The methods of a JSON-RPC contract that are available over HTTP.
 *
 * @param methods - by name
 * @param schemas - schemas that they reference
 */
export function jsonRpcOperations(
  methods: Readonly<Record<string, Method>>,
  schemas: Schemas,
): readonly Operation[] {
  return Object.values(methods)
    .filter(({ transports }) => transports?.includes('http') ?? true)
    .map(({ name, tags, params }) => {
      const fields = params.map((parameter) => ({
        ...fieldOf(parameter.name, parameter.required, parameter.schema, schemas),
        location: 'params' as const,
      }))
      return {
        name,
        group: tags?.[0] ?? 'other',
        summary: 'POST',
        fields,
        request: (typed) => requestOf(name, fields, typed),
      }
    })
}

function requestOf(method: string, fields: Operation['fields'], typed: Typed): Request | EncodeErrors {
  const errors: Record<string, string> = {}
  const params: string[] = []
  let left = 0
  for (const field of fields) {
    const encoded = encode(field, keyOf(field), typed)
    if ('errors' in encoded) Object.assign(errors, encoded.errors)
    else if (encoded.text === undefined) left += 1
    else {
      // An omitted parameter before a given one becomes null.
      params.push(...Array.from({ length: left }, () => 'null'), encoded.text)
      left = 0
    }
  }
  if (Object.keys(errors).length > 0) return { errors }
  const body = `{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(method)},"params":[${params.join(',')}]}`
  return { method: 'POST', target: '', body }
}
