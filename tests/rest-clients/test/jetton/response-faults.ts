import type { JsonSchema, Route } from '@fairlead/core'
import { v2, v2Rpc, v3 } from '@fairlead/jetton/contract'
import { Ajv2020 } from 'ajv/dist/2020.js'

const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  // The patterns next to the formats check the same.
  validateFormats: false,
  schemas: [v2, v2Rpc, v3].map(({ document, schemas }) => ({ $id: document, components: { schemas } })),
})

/** Returns the validation errors of a response by its route. Undefined when it matches the document. */
export function faultsOf({ responses }: Route, status: number, body: unknown): unknown {
  const described = responses[status]
  return described ? faults(described.schema ?? false, body) : 'the status is not documented'
}

/** Returns the validation errors of the result of a JSON-RPC call. */
export function resultFaultsOf(method: keyof typeof v2Rpc.methods, result: unknown): unknown {
  return faults(v2Rpc.methods[method].result, result)
}

function faults(schema: JsonSchema | boolean, value: unknown): unknown {
  const validate = ajv.compile(schema)
  return validate(value) ? undefined : validate.errors?.slice(0, 5)
}
