import type { JsonSchema, Route } from '@fairlead/core'
import { v2, v2Rpc, v3 } from '@fairlead/jetton/contract'
import { Ajv2020 } from 'ajv/dist/2020.js'

const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  // The patterns beside the formats say the same.
  validateFormats: false,
  schemas: [v2, v2Rpc, v3].map(({ document, schemas }) => ({ $id: document, components: { schemas } })),
})

/** What is wrong with an answer by its route; nothing when it is as the document says. */
export function faultsOf({ responses }: Route, status: number, body: unknown): unknown {
  const described = responses[status]
  return described ? faults(described.schema ?? false, body) : 'the status is not documented'
}

/** What is wrong with the result of a JSON-RPC call. */
export function resultFaultsOf(method: keyof typeof v2Rpc.methods, result: unknown): unknown {
  return faults(v2Rpc.methods[method].result, result)
}

function faults(schema: JsonSchema | boolean, value: unknown): unknown {
  const validate = ajv.compile(schema)
  return validate(value) ? undefined : validate.errors?.slice(0, 5)
}
