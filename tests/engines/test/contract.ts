import { document, methods, schemas } from '@fairlead/evm-rpc/contract'
import type { Method } from '@fairlead/core'
import { Ajv2020 } from 'ajv/dist/2020.js'

const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema({ $id: document, components: { schemas } })
const byName: Readonly<Record<string, Method>> = methods

/** Whether a value is a valid result of a method by the OpenRPC document. */
export function isResultOf(method: string, value: unknown): boolean {
  return value !== undefined && ajv.validate(byName[method]?.result ?? false, value)
}
